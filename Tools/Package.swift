// swift-tools-version: 6.2.1
import PackageDescription

/// The packages of the products that targets need; what is called Ostiary… is a product of the package beside this one.
let packages: [String: String] = [
    "ArgumentParser": "swift-argument-parser", "AsyncHTTPClient": "async-http-client", "CoreMetrics": "swift-metrics",
    "Crypto": "swift-crypto",
    "GRDB": "GRDB.swift", "HTTPTypes": "swift-http-types", "Hummingbird": "hummingbird",
    "HummingbirdAuth": "hummingbird-auth", "HummingbirdCore": "hummingbird", "HummingbirdTLS": "hummingbird",
    "HummingbirdTesting": "hummingbird",
    "Logging": "swift-log", "Metrics": "swift-metrics", "MetricsTestKit": "swift-metrics",
    "Mustache": "swift-mustache", "NIOCore": "swift-nio",
    "NIOHTTP1": "swift-nio", "NIOHTTP2": "swift-nio-http2", "NIOPosix": "swift-nio", "NIOSSL": "swift-nio-ssl",
    "NIOTLS": "swift-nio", "OTel": "swift-otel", "Prometheus": "swift-prometheus",
    "ServiceLifecycle": "swift-service-lifecycle",
    "Subprocess": "swift-subprocess", "SwiftASN1": "swift-asn1", "X509": "swift-certificates",
    "InMemoryTracing": "swift-distributed-tracing", "Tracing": "swift-distributed-tracing",
    "UnixSignals": "swift-service-lifecycle", "Vapor": "vapor",
]

/// The targets and products of these names.
func needs(_ names: [String]) -> [Target.Dependency] {
    names.map { (name: String) -> Target.Dependency in
        if let package = packages[name] { return .product(name: name, package: package) }
        let isOurs: Bool = name.hasPrefix("Ostiary") && name != "OstiaryCommand"
        return isOurs ? .product(name: name, package: "ostiary") : .target(name: name)
    }
}

let traits: Set<Package.Dependency.Trait> = [
    "AsyncHTTPClient", "Hummingbird", "Vapor", "SQLite", "PostgreSQL", "Valkey",
]
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
        .package(name: "ostiary", path: "..", traits: traits),
        // With its default traits, which hummingbird-auth turns on for every program here: where this line does not name them,
        // too, SwiftPM 6.2 loads the graph without the package that they need, and 6.3 sometimes does.
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.26.0"),
        // For the tests of OstiaryHummingbird alone.
        .package(url: "https://github.com/hummingbird-project/hummingbird-auth.git", from: "2.2.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.0.2"),
        // For the tests of OstiaryVapor alone: no program here links it.
        .package(url: "https://github.com/vapor/vapor.git", from: "4.122.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.8.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.19.3"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.1.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.10.1"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.3"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.2"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.44.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.4.1"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.0.3"),
        .package(url: "https://github.com/swift-otel/swift-otel.git", from: "1.5.0", traits: ["OTLPHTTP"]),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.33.1"),
        .package(url: "https://github.com/swift-server/swift-prometheus.git", from: "2.3.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.11.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess.git", from: "1.0.0"),
    ],
    targets: [
        .target(
            name: "ProviderServer",
            dependencies: needs([
                "OstiaryAsyncHTTPClient", "OstiaryHummingbird", "OstiaryJOSE", "OstiaryOAuth", "OstiaryProvider",
                "OstiaryProviderDialects", "AsyncHTTPClient", "Crypto", "GRDB", "HTTPTypes", "Hummingbird",
                "HummingbirdCore", "HummingbirdTLS", "Logging", "Mustache", "NIOCore", "NIOSSL", "ServiceLifecycle",
                "SwiftASN1", "UnixSignals", "X509",
            ]),
            resources: [.embedInCode("Pages")]
        ),
        .target(name: "ProjectDoctor", dependencies: needs(["OstiaryJOSE", "OstiaryOAuth"])),
        .target(name: "IssuerDoctor", dependencies: needs(["OstiaryJOSE", "OstiaryOAuth", "HTTPTypes"])),
        .target(
            name: "ClientProbe",
            dependencies: needs([
                "OstiaryJOSE", "OstiaryOAuth", "OstiaryProvider", "HTTPTypes",
            ])
        ),
        .target(
            name: "Backend",
            dependencies: needs([
                "OstiaryAsyncHTTPClient", "OstiaryHummingbird", "OstiaryJOSE", "OstiaryLogi", "OstiaryOAuth",
                "OstiaryPostgreSQL", "OstiarySQLite", "OstiarySSAFYServer", "OstiaryServer", "HTTPTypes",
                "CoreMetrics", "Hummingbird", "HummingbirdCore", "HummingbirdTLS", "Logging", "Metrics", "NIOCore",
                "NIOSSL", "Prometheus", "ServiceLifecycle", "Tracing", "UnixSignals",
            ])
        ),
        // What `ostiary` does not compile.
        .target(
            name: "BackendConnections",
            dependencies: needs(["Backend", "OstiaryOAuth", "OstiaryValkey", "Logging", "Metrics", "OTel"])
        ),
        .executableTarget(
            name: "BackendCommand",
            dependencies: needs(["Backend", "BackendConnections", "ArgumentParser", "Logging"])
        ),
        .executableTarget(
            name: "BackendLoad",
            dependencies: needs([
                "Backend", "OstiaryJOSE", "OstiaryOAuth", "OstiaryServer", "ArgumentParser", "AsyncHTTPClient",
                "HTTPTypes", "Hummingbird", "HummingbirdCore", "Logging", "NIOCore", "NIOHTTP1", "ServiceLifecycle",
            ])
        ),
        .executableTarget(
            name: "OstiaryCommand",
            dependencies: needs([
                "ClientProbe", "IssuerDoctor", "ProjectDoctor", "ProviderServer", "Ostiary",
                "OstiaryAsyncHTTPClient", "OstiaryAutomation", "OstiaryCurity", "OstiaryHummingbird", "OstiaryJOSE",
                "OstiaryLogi", "OstiaryLogto", "OstiaryMigration", "OstiaryOAuth", "OstiaryProvider",
                "OstiaryProviderDialects", "OstiarySSAFY", "OstiarySQLite", "OstiarySSAFYServer", "OstiaryServer",
                "OstiaryTesting", "OstiaryZephr",
                "ArgumentParser", "AsyncHTTPClient", "HTTPTypes", "Hummingbird", "Logging", "NIOCore", "NIOPosix",
                "NIOSSL", "NIOTLS", "ServiceLifecycle", "Subprocess",
            ]),
            path: "Sources/ostiary"
        ),
        // For `make stress`: not a product.
        .executableTarget(
            name: "session-stress",
            dependencies: needs([
                "ProviderServer", "Ostiary", "OstiaryAsyncHTTPClient", "OstiaryAutomation", "OstiaryJOSE",
                "OstiaryOAuth", "OstiaryProvider", "ArgumentParser", "HTTPTypes",
            ]),
            path: "Sources/SessionStress"
        ),
        .testTarget(
            name: "ProviderServerTests",
            dependencies: needs([
                "ProviderServer", "OstiaryAsyncHTTPClient", "OstiaryHummingbird", "OstiaryJOSE", "OstiaryOAuth",
                "OstiaryProvider", "OstiaryServer", "AsyncHTTPClient", "HTTPTypes", "Hummingbird", "Logging", "NIOCore",
                "NIOHTTP1", "NIOSSL", "SwiftASN1", "X509",
            ])
        ),
        .testTarget(
            name: "BackendTests",
            dependencies: needs([
                "Backend", "BackendCommand", "BackendConnections", "ProviderServer", "Ostiary",
                "OstiaryAsyncHTTPClient",
                "OstiaryAutomation", "OstiaryHummingbird", "OstiaryJOSE", "OstiaryOAuth", "OstiaryPostgreSQL",
                "OstiaryProvider", "OstiarySQLite", "OstiaryServer", "OstiaryTesting", "OstiaryValkey",
                "AsyncHTTPClient", "HTTPTypes",
                "Hummingbird", "Logging", "NIOCore", "NIOHTTP1", "NIOSSL",
            ])
        ),
        // Here, where the trait is on.
        .testTarget(
            name: "OstiaryHummingbirdTests",
            dependencies: needs([
                "Ostiary", "OstiaryAutomation", "OstiaryHummingbird", "OstiaryJOSE", "OstiaryOAuth", "OstiaryProvider",
                "OstiaryServer", "OstiaryTesting", "HTTPTypes", "Hummingbird", "HummingbirdAuth", "HummingbirdTesting",
                "InMemoryTracing", "Logging", "MetricsTestKit", "NIOCore", "Tracing",
            ])
        ),
        .testTarget(
            name: "OstiaryVaporTests",
            dependencies: needs([
                "Ostiary", "OstiaryJOSE", "OstiaryOAuth", "OstiaryProvider", "OstiaryServer", "OstiaryTesting",
                "OstiaryAutomation", "OstiaryVapor", "AsyncHTTPClient", "HTTPTypes", "InMemoryTracing", "NIOCore",
                "NIOHTTP1", "Tracing", "Vapor",
            ])
        ),
        .testTarget(
            name: "ProjectDoctorTests",
            dependencies: needs([
                "ProjectDoctor", "ProviderServer", "OstiaryJOSE",
            ]),
            exclude: ["Fixtures"]
        ),
        .testTarget(
            name: "IssuerDoctorTests",
            dependencies: needs([
                "IssuerDoctor", "OstiaryJOSE", "OstiaryOAuth", "HTTPTypes",
            ])
        ),
        .testTarget(name: "ClientProbeTests", dependencies: needs(["ClientProbe", "OstiaryJOSE", "OstiaryProvider"])),
        .testTarget(
            name: "TransportTests",
            dependencies: needs([
                "OstiaryAsyncHTTPClient", "OstiaryOAuth", "OstiaryTesting", "AsyncHTTPClient", "HTTPTypes", "NIOCore",
                "NIOHTTP2", "NIOPosix", "NIOSSL",
            ])
        ),
        .testTarget(
            name: "OstiaryCommandTests",
            dependencies: needs([
                "OstiaryCommand", "ProviderServer", "Ostiary", "OstiaryAsyncHTTPClient", "OstiaryAutomation",
                "OstiaryJOSE", "OstiaryOAuth", "OstiaryProvider", "OstiaryTesting", "ArgumentParser", "HTTPTypes",
                "Subprocess",
            ]),
            exclude: ["Clients"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

let features: [String] = [
    "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
    "InferIsolatedConformances",
]
for target in package.targets { target.swiftSettings = features.map { SwiftSetting.enableUpcomingFeature($0) } }

// OSTIARY_TESTS names the only test target to compile.
if let onlyTests = Context.environment["OSTIARY_TESTS"], !onlyTests.isEmpty {
    package.targets.removeAll { $0.type == .test && $0.name != onlyTests }
}
