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

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")

let package = Package(
    name: "ostiary-tools",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "ostiary", targets: ["OstiaryCommand"]),
        .executable(name: "ostiary-backend", targets: ["BackendCommand"]),
        .executable(name: "ostiary-backend-load", targets: ["BackendLoad"]),
        .library(name: "ProviderServer", targets: ["ProviderServer"]),
        .library(name: "Backend", targets: ["Backend"]),
    ],
    dependencies: [
        .package(name: "ostiary", path: "..", traits: ["AsyncHTTPClient", "Hummingbird", "SQLite", "PostgreSQL"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.26.0", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.0.2"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.8.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.10.1"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.3"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.2"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.44.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.0.3"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.33.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.11.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess.git", from: "1.0.0"),
    ],
    targets: [
        .target(
            name: "ProviderServer",
            dependencies: [
                ostiary("OstiaryProvider"),
                ostiary("OstiaryOAuth"),
                ostiary("OstiaryJOSE"),
                ostiary("OstiaryAsyncHTTPClient"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                httpTypes,
                logging,
            ],
            resources: [.embedInCode("Pages")]
        ),
        .target(
            name: "ProjectDoctor",
            dependencies: [ostiary("OstiaryOAuth"), ostiary("OstiaryJOSE")]
        ),
        .target(
            name: "IssuerDoctor",
            dependencies: [ostiary("OstiaryOAuth"), ostiary("OstiaryJOSE"), httpTypes]
        ),
        .target(
            name: "ClientProbe",
            dependencies: [ostiary("OstiaryProvider"), ostiary("OstiaryOAuth"), ostiary("OstiaryJOSE"), httpTypes]
        ),
        .target(
            name: "Backend",
            dependencies: [
                ostiary("OstiaryServer"),
                ostiary("OstiarySSAFYServer"),
                ostiary("OstiaryLogi"),
                ostiary("OstiaryHummingbird"),
                ostiary("OstiarySQLite"),
                ostiary("OstiaryPostgreSQL"),
                ostiary("OstiaryAsyncHTTPClient"),
                ostiary("OstiaryOAuth"),
                ostiary("OstiaryJOSE"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                httpTypes,
                logging,
            ]
        ),
        .executableTarget(
            name: "BackendCommand",
            dependencies: ["Backend", argumentParser, logging]
        ),
        .executableTarget(
            name: "BackendLoad",
            dependencies: [
                "Backend",
                ostiary("OstiaryServer"),
                ostiary("OstiaryOAuth"),
                ostiary("OstiaryJOSE"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                argumentParser,
                httpTypes,
                logging,
            ]
        ),
        .executableTarget(
            name: "OstiaryCommand",
            dependencies: [
                "ClientProbe",
                "IssuerDoctor",
                "ProjectDoctor",
                "ProviderServer",
                "Backend",
                ostiary("OstiaryServer"),
                ostiary("Ostiary"),
                ostiary("OstiaryAutomation"),
                ostiary("OstiaryMigration"),
                ostiary("OstiaryOAuth"),
                ostiary("OstiaryJOSE"),
                ostiary("OstiaryProvider"),
                ostiary("OstiaryTesting"),
                ostiary("OstiaryAsyncHTTPClient"),
                ostiary("OstiaryCurity"),
                ostiary("OstiaryLogi"),
                ostiary("OstiaryLogto"),
                ostiary("OstiarySSAFY"),
                ostiary("OstiarySSAFYServer"),
                ostiary("OstiaryHummingbird"),
                ostiary("OstiaryZephr"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                argumentParser,
                httpTypes,
                logging,
                subprocess,
            ],
            path: "Sources/ostiary"
        ),
        // For `make stress`: not a product.
        .executableTarget(
            name: "session-stress",
            dependencies: [
                "ProviderServer",
                ostiary("Ostiary"),
                ostiary("OstiaryAutomation"),
                ostiary("OstiaryOAuth"),
                ostiary("OstiaryJOSE"),
                ostiary("OstiaryProvider"),
                ostiary("OstiaryAsyncHTTPClient"),
                argumentParser,
                httpTypes,
            ],
            path: "Sources/SessionStress"
        ),
        .testTarget(
            name: "ProviderServerTests",
            dependencies: [
                "ProviderServer",
                ostiary("OstiaryServer"),
                ostiary("OstiaryHummingbird"),
                ostiary("OstiaryAsyncHTTPClient"),
                .product(name: "Hummingbird", package: "hummingbird"),
                ostiary("OstiaryOAuth"),
                ostiary("OstiaryJOSE"),
                ostiary("OstiaryProvider"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                httpTypes,
                logging,
            ]
        ),
        .testTarget(
            name: "BackendTests",
            dependencies: [
                "Backend",
                "BackendCommand",
                "ProviderServer",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                ostiary("OstiaryJOSE"),
                logging,
                httpTypes,
                ostiary("Ostiary"),
                ostiary("OstiaryAutomation"),
                ostiary("OstiaryAsyncHTTPClient"),
                ostiary("OstiaryProvider"),
                ostiary("OstiaryServer"),
                ostiary("OstiarySQLite"),
                ostiary("OstiaryPostgreSQL"),
                ostiary("OstiaryOAuth"),
                ostiary("OstiaryTesting"),
            ]
        ),
        // Here, where the trait is on.
        .testTarget(
            name: "OstiaryHummingbirdTests",
            dependencies: [
                ostiary("Ostiary"),
                ostiary("OstiaryHummingbird"),
                ostiary("OstiaryServer"),
                ostiary("OstiaryOAuth"),
                ostiary("OstiaryJOSE"),
                ostiary("OstiaryProvider"),
                ostiary("OstiaryTesting"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                httpTypes,
                logging,
            ]
        ),
        .testTarget(
            name: "ProjectDoctorTests",
            dependencies: ["ProjectDoctor", "ProviderServer", ostiary("OstiaryJOSE")],
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "IssuerDoctorTests",
            dependencies: ["IssuerDoctor", ostiary("OstiaryOAuth"), ostiary("OstiaryJOSE"), httpTypes]
        ),
        .testTarget(
            name: "ClientProbeTests",
            dependencies: ["ClientProbe", ostiary("OstiaryProvider"), ostiary("OstiaryJOSE")]
        ),
        .testTarget(
            name: "TransportTests",
            dependencies: [
                ostiary("OstiaryOAuth"),
                ostiary("OstiaryTesting"),
                ostiary("OstiaryAsyncHTTPClient"),
                httpTypes,
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
        .testTarget(
            name: "OstiaryCommandTests",
            dependencies: [
                "OstiaryCommand",
                "ProviderServer",
                ostiary("Ostiary"),
                ostiary("OstiaryAutomation"),
                ostiary("OstiaryOAuth"),
                ostiary("OstiaryJOSE"),
                ostiary("OstiaryProvider"),
                ostiary("OstiaryTesting"),
                ostiary("OstiaryAsyncHTTPClient"),
                argumentParser,
                httpTypes,
                subprocess,
            ],
            exclude: ["Clients"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = (target.swiftSettings ?? []) + settings
}

// OSTIARY_TESTS names the only test target to compile.
if let onlyTests = Context.environment["OSTIARY_TESTS"], !onlyTests.isEmpty {
    package.targets.removeAll { $0.type == .test && $0.name != onlyTests }
}
