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

let package = Package(
    name: "notes-backend",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "notes-backend", targets: ["notes-backend"])],
    dependencies: [
        // PostgreSQL is for more than one instance; without it the trait, and libpq, can go.
        .package(name: "ostiary", path: "../..", traits: ["AsyncHTTPClient", "Hummingbird", "SQLite", "PostgreSQL"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.26.0", traits: []),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.0.3"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.3"),
    ],
    targets: [
        .target(
            name: "NotesBackend",
            dependencies: [
                ostiary("OstiaryHummingbird"), ostiary("OstiarySSAFYServer"), ostiary("OstiaryServer"),
                ostiary("OstiaryOAuth"), ostiary("OstiaryJOSE"), hummingbird, httpTypes,
                .product(name: "NIOCore", package: "swift-nio"),
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
        .testTarget(
            name: "NotesBackendTests",
            dependencies: [
                "NotesBackend", ostiary("Ostiary"), ostiary("OstiaryAutomation"), ostiary("OstiarySSAFY"),
                ostiary("OstiarySQLite"),
                ostiary("OstiaryProvider"), ostiary("OstiaryTesting"), ostiary("OstiaryServer"),
                ostiary("OstiaryOAuth"), ostiary("OstiaryJOSE"), hummingbird, httpTypes,
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
