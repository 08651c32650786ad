// swift-tools-version: 6.2.1
import PackageDescription

/// Options that every target of this package is compiled with.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

func ostiary(_ product: String) -> Target.Dependency {
    .product(name: product, package: "ostiary")
}

let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")

let package = Package(
    name: "notes-backend",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "notes-backend", targets: ["notes-backend"])],
    dependencies: [
        // PostgreSQL is for more than one instance; without it the trait, and PostgresNIO, can go. "Vapor" and "Valkey" are on because the
        // tests of this example use what the tests of the tools have compiled.
        .package(
            name: "ostiary",
            path: "../..",
            traits: ["AsyncHTTPClient", "Hummingbird", "Vapor", "SQLite", "PostgreSQL", "Valkey"]
        ),
        // With "traits: []" it would come without the configuration that the tools have compiled.
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.26.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.0.3"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.3"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.34.3"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.33.1"),
    ],
    targets: [
        .target(
            name: "NotesBackend",
            dependencies: [
                ostiary("OstiaryHummingbird"), ostiary("OstiarySSAFYServer"), ostiary("OstiaryServer"),
                ostiary("OstiaryOAuth"), ostiary("OstiaryJOSE"), hummingbird, httpTypes,
                nioCore,
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "notes-backend",
            dependencies: [
                "NotesBackend", ostiary("OstiaryAsyncHTTPClient"), ostiary("OstiarySQLite"),
                ostiary("OstiaryPostgreSQL"), ostiary("OstiaryHummingbird"), ostiary("OstiarySSAFYServer"),
                ostiary("OstiaryServer"), ostiary("OstiaryOAuth"), hummingbird,
                .product(name: "HummingbirdCore", package: "hummingbird"),
            ],
            swiftSettings: settings
        ),
        // An adapter by hand: no part of the app.
        .target(
            name: "PlainServer",
            dependencies: [
                ostiary("OstiaryServer"), httpTypes, nioCore, nioHTTP1,
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PlainServerTests",
            dependencies: [
                "PlainServer", ostiary("OstiaryProvider"), ostiary("OstiaryTesting"), ostiary("OstiaryServer"),
                ostiary("OstiaryOAuth"), ostiary("OstiaryJOSE"), httpTypes, nioCore, nioHTTP1,
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "NotesBackendTests",
            dependencies: [
                "NotesBackend", ostiary("Ostiary"), ostiary("OstiaryAutomation"), ostiary("OstiarySSAFY"),
                ostiary("OstiarySQLite"), ostiary("OstiaryProviderDialects"),
                ostiary("OstiaryProvider"), ostiary("OstiaryTesting"), ostiary("OstiaryServer"),
                ostiary("OstiaryOAuth"), ostiary("OstiaryJOSE"), hummingbird, httpTypes,
                .product(name: "HummingbirdTesting", package: "hummingbird"), nioCore,
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
