// swift-tools-version: 6.2
import PackageDescription

/// Options that every target of this package is compiled with.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
/// Resolved and built only with the trait, so that an app does not fetch a server framework.
let hummingbird = Target.Dependency.product(
    name: "Hummingbird",
    package: "hummingbird",
    condition: .when(traits: ["Hummingbird"])
)
let grdb = Target.Dependency.product(
    name: "GRDB",
    package: "GRDB.swift",
    condition: .when(traits: ["SQLite"])
)

let logging = Target.Dependency.product(
    name: "Logging",
    package: "swift-log",
    condition: .when(traits: ["Hummingbird"])
)
let metrics = ["Metrics", "CoreMetrics"].map {
    Target.Dependency.product(name: $0, package: "swift-metrics", condition: .when(traits: ["Hummingbird"]))
}

/// One product for each vendor's system, on Ostiary's public API only.
let frontDoors = ["Curity", "Logi", "Logto", "SSAFY", "Zephr"]

let package = Package(
    name: "ostiary",
    platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Ostiary", targets: ["Ostiary"]),
        .library(name: "OstiaryOAuth", targets: ["OstiaryOAuth"]),
        .library(name: "OstiaryJOSE", targets: ["OstiaryJOSE"]),
        .library(name: "OstiaryAsyncHTTPClient", targets: ["OstiaryAsyncHTTPClient"]),
        .library(name: "OstiaryServer", targets: ["OstiaryServer"]),
        .library(name: "OstiaryHummingbird", targets: ["OstiaryHummingbird"]),
        .library(name: "OstiarySQLite", targets: ["OstiarySQLite"]),
        .library(name: "OstiaryPostgreSQL", targets: ["OstiaryPostgreSQL"]),
        .library(name: "OstiaryProvider", targets: ["OstiaryProvider"]),
        .library(name: "OstiaryTesting", targets: ["OstiaryTesting"]),
    ],
    traits: [
        .default(enabledTraits: []),
        .trait(
            name: "AsyncHTTPClient",
            description: "AsyncHTTPClientTransport: the transport for Linux servers and command lines."
        ),
        .trait(
            name: "Hummingbird",
            description: "AccessTokenMiddleware: the backend kit on Hummingbird."
        ),
        .trait(
            name: "SQLite",
            description: "SQLiteServerStore: what the backend kit remembers, in a file of one instance."
        ),
        .trait(
            name: "PostgreSQL",
            description: "PostgreSQLServerStore: what the backend kit remembers, shared by many instances; needs libpq."
        ),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0", traits: []),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.9.0"),
    ],
    targets: [
        .target(name: "OstiaryJOSE", dependencies: [crypto, cryptoExtras]),
        .target(name: "OstiaryOAuth", dependencies: ["OstiaryJOSE", httpTypes, crypto]),
        .target(name: "Ostiary", dependencies: ["OstiaryOAuth", "OstiaryJOSE", httpTypes, crypto]),
        .target(
            name: "OstiaryAsyncHTTPClient",
            dependencies: [
                "OstiaryOAuth",
                httpTypes,
                .product(
                    name: "AsyncHTTPClient",
                    package: "async-http-client",
                    condition: .when(traits: ["AsyncHTTPClient"])
                ),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
            ]
        ),
        .target(name: "OstiaryServer", dependencies: ["OstiaryOAuth", "OstiaryJOSE", httpTypes, crypto]),
        .target(
            name: "OstiaryHummingbird",
            dependencies: ["OstiaryServer", "OstiaryOAuth", httpTypes, hummingbird, logging] + metrics
        ),
        .target(name: "OstiarySQLite", dependencies: ["OstiaryServer", "OstiaryOAuth", grdb]),
        .systemLibrary(
            name: "CPostgreSQL",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
        ),
        .target(
            name: "OstiaryPostgreSQL",
            dependencies: [
                "OstiaryServer", "OstiaryOAuth",
                .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ]
        ),
        .target(
            name: "OstiaryProvider",
            dependencies: ["OstiaryOAuth", "OstiaryJOSE", httpTypes, crypto, cryptoExtras]
        ),
        .target(
            name: "OstiaryTesting",
            dependencies: ["Ostiary", "OstiaryServer", "OstiaryProvider", "OstiaryOAuth", httpTypes]
        ),
        .testTarget(name: "OstiaryJOSETests", dependencies: ["OstiaryJOSE", crypto, cryptoExtras]),
        .testTarget(name: "OstiaryOAuthTests", dependencies: ["OstiaryOAuth", "OstiaryJOSE", httpTypes]),
        .testTarget(
            name: "OstiaryServerTests",
            dependencies: [
                "OstiaryServer", "OstiaryHummingbird", "OstiaryTesting", "OstiaryProvider", "OstiaryOAuth",
                "OstiaryJOSE",
                httpTypes, hummingbird, logging,
            ] + metrics
        ),
        .testTarget(
            name: "OstiaryProviderTests",
            dependencies: ["OstiaryProvider", "OstiaryOAuth", "OstiaryJOSE", httpTypes]
        ),
        .testTarget(
            name: "OstiaryTests",
            dependencies: ["Ostiary", "OstiaryTesting", "OstiaryProvider", "OstiaryOAuth", "OstiaryJOSE", httpTypes]
        ),
        .testTarget(
            name: "Conformance",
            dependencies: ["Ostiary", "OstiaryTesting", "OstiaryProvider", "OstiaryOAuth", "OstiaryJOSE", httpTypes]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for name in frontDoors {
    package.products.append(.library(name: "Ostiary\(name)", targets: ["Ostiary\(name)"]))
    package.targets.append(
        .target(
            name: "Ostiary\(name)",
            // Ostiary re-exports the other two; named here, a change in them rebuilds what imports them.
            dependencies: ["Ostiary", "OstiaryOAuth", "OstiaryJOSE", httpTypes],
            path: "Sources/FrontDoors/\(name)",
            // What a front door of a stranger's sees.
            packageAccess: false
        )
    )
}

/// The half of a vendor's system that is for the app's own backend: on the front door's contract and the backend kit.
let serverDoors = ["Logi", "SSAFY"]
for name in serverDoors {
    package.products.append(.library(name: "Ostiary\(name)Server", targets: ["Ostiary\(name)Server"]))
    package.targets.append(
        .target(
            name: "Ostiary\(name)Server",
            dependencies: [
                .target(name: "Ostiary\(name)"), "OstiaryServer", "Ostiary", "OstiaryOAuth", "OstiaryJOSE", httpTypes,
            ],
            path: "Sources/ServerDoors/\(name)",
            packageAccess: false
        )
    )
}
let serverDoorTargets = serverDoors.map { Target.Dependency(stringLiteral: "Ostiary\($0)Server") }
let frontDoorTargets = frontDoors.map { Target.Dependency(stringLiteral: "Ostiary\($0)") }
package.targets += [
    .testTarget(
        name: "FrontDoors",
        dependencies: [
            "Ostiary", "OstiaryServer", "OstiaryTesting", "OstiaryProvider", "OstiaryOAuth", "OstiaryJOSE", httpTypes,
        ] + frontDoorTargets + serverDoorTargets
    ),
    .testTarget(
        name: "SeedSnippets",
        dependencies: ["Ostiary", "OstiaryTesting", "OstiaryProvider", "OstiaryOAuth", httpTypes] + frontDoorTargets
    ),
]

for target in package.targets where target.type != .system {
    target.swiftSettings = (target.swiftSettings ?? []) + settings
}
