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
    name: "linux-command",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "postbox", targets: ["PostboxCommand"])],
    dependencies: [
        .package(name: "ostiary", path: "../.."),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.0.3"),
    ],
    targets: [
        .target(name: "Postbox", dependencies: [ostiary("Ostiary"), httpTypes], swiftSettings: settings),
        .executableTarget(
            name: "PostboxCommand",
            dependencies: ["Postbox", ostiary("Ostiary")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PostboxTests",
            dependencies: [
                "Postbox", ostiary("Ostiary"), ostiary("OstiaryAutomation"), ostiary("OstiaryTesting"),
                ostiary("OstiaryProvider"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
