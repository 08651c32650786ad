// swift-tools-version: 6.2.1
import PackageDescription

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "ostiary", path: "..", traits: ["SQLite"]),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.1.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.0.3"),
        .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.3.0"),
    ],
    targets: [
        // Without concurrency: valgrind does not bear its threads.
        .target(
            name: "Subjects",
            dependencies: [
                .product(name: "OstiaryJOSE", package: "ostiary"),
                .product(name: "OstiaryOAuth", package: "ostiary"),
                .product(name: "OstiaryServer", package: "ostiary"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "Subjects",
                .product(name: "Ostiary", package: "ostiary"),
                .product(name: "OstiaryAutomation", package: "ostiary"),
                .product(name: "OstiaryJOSE", package: "ostiary"),
                .product(name: "OstiaryProvider", package: "ostiary"),
                .product(name: "OstiaryTesting", package: "ostiary"),
                .product(name: "OstiaryServer", package: "ostiary"),
                .product(name: "OstiarySQLite", package: "ostiary"),
                .product(name: "JWTKit", package: "jwt-kit"),
            ]
        ),
        .executableTarget(name: "counts", dependencies: ["Subjects", .product(name: "OstiaryJOSE", package: "ostiary")]),
    ],
    swiftLanguageModes: [.v6]
)
