// swift-tools-version: 6.2.1
import PackageDescription

/// Options that every target of this package is compiled with.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

func ostiary(_ product: String) -> Target.Dependency {
    .product(name: product, package: "ostiary")
}

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")

let package = Package(
    name: "third-party-front-door",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [.library(name: "Forge", targets: ["Forge"])],
    dependencies: [
        .package(name: "ostiary", path: "../.."),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.0.3"),
    ],
    targets: [
        .target(name: "Forge", dependencies: [ostiary("Ostiary"), httpTypes], swiftSettings: settings),
        .testTarget(
            name: "ForgeTests",
            dependencies: [
                "Forge", ostiary("OstiaryAutomation"), ostiary("OstiaryTesting"), ostiary("OstiaryProvider"),
                httpTypes,
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
