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

let vapor = Target.Dependency.product(name: "Vapor", package: "vapor")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")

let package = Package(
    name: "vapor-backend",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "vapor-notes", targets: ["vapor-notes"])],
    dependencies: [
        // A backend of your own needs "AsyncHTTPClient", "Vapor" and "SQLite". The others are on because the tests of this
        // example use what the tests of the tools have compiled.
        .package(
            name: "ostiary",
            path: "../..",
            traits: ["AsyncHTTPClient", "Hummingbird", "Vapor", "SQLite", "PostgreSQL", "Valkey"]
        ),
        .package(url: "https://github.com/vapor/vapor.git", from: "4.122.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.3"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.33.1"),
    ],
    targets: [
        .target(
            name: "VaporNotes",
            dependencies: [
                ostiary("OstiaryVapor"), ostiary("OstiaryServer"), ostiary("OstiaryOAuth"), vapor, nioCore, nioHTTP1,
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "vapor-notes",
            dependencies: [
                "VaporNotes", ostiary("OstiaryAsyncHTTPClient"), ostiary("OstiarySQLite"), ostiary("OstiaryVapor"),
                ostiary("OstiaryServer"), ostiary("OstiaryOAuth"), vapor,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "VaporNotesTests",
            dependencies: [
                "VaporNotes", ostiary("Ostiary"), ostiary("OstiaryAutomation"), ostiary("OstiaryProvider"),
                ostiary("OstiaryTesting"),
                ostiary("OstiaryVapor"), ostiary("OstiaryServer"), ostiary("OstiaryOAuth"), ostiary("OstiaryJOSE"),
                vapor, nioCore, nioHTTP1,
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
