// swift-tools-version: 6.2
import PackageDescription

// OSTIARY_APPLE=ios or macos compiles what is written for Apple's platforms against the stand-ins in Platform/ and runs its
// tests; on Linux only, as elsewhere the real frameworks are there.
#if os(Linux)
    let simulated = Context.environment["OSTIARY_APPLE"].flatMap { $0.isEmpty ? nil : $0 }
#else
    let simulated: String? = nil
#endif
if let simulated, !["ios", "macos"].contains(simulated) {
    fatalError("OSTIARY_APPLE is ios or macos, not \(simulated).")
}

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

/// What the privacy report of an app is made of; on Linux there is no such report.
#if os(Linux)
    let privacy: (resources: [Resource], excluded: [String]) = ([], ["PrivacyInfo.xcprivacy"])
#else
    let privacy: (resources: [Resource], excluded: [String]) = ([.process("PrivacyInfo.xcprivacy")], [])
#endif

let logging = Target.Dependency.product(
    name: "Logging",
    package: "swift-log",
    condition: .when(traits: ["Hummingbird"])
)
/// What the requests of one connection are made of.
let connections: [Target.Dependency] = [
    .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Hummingbird"])),
    .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: .when(traits: ["Hummingbird"])),
]
let metrics = ["Metrics", "CoreMetrics"].map {
    Target.Dependency.product(name: $0, package: "swift-metrics", condition: .when(traits: ["Hummingbird"]))
}

/// One product for each vendor's system, on Ostiary's public API only.
let frontDoors = ["Curity", "Logi", "Logto", "SSAFY", "Zephr"]

let package = Package(
    name: "ostiary",
    // The language of what OstiarySwiftUI says where it has no table.
    defaultLocalization: "en",
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
        .library(name: "OstiarySwiftUI", targets: ["OstiarySwiftUI"]),
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
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.34.1"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.9.0"),
    ],
    targets: [
        .target(name: "OstiaryJOSE", dependencies: [crypto, cryptoExtras]),
        .target(name: "OstiaryOAuth", dependencies: ["OstiaryJOSE", httpTypes, crypto]),
        .target(
            name: "Ostiary",
            dependencies: [
                "OstiaryOAuth", "OstiaryJOSE", .target(name: "CSecretService", condition: .when(platforms: [.linux])),
                httpTypes, crypto, cryptoExtras,
            ],
            exclude: privacy.excluded,
            resources: privacy.resources
        ),
        // The desktop's keyring on Linux, loaded when it is used: nothing of it is needed to build.
        .target(name: "CSecretService", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
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
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["AsyncHTTPClient"])),
            ]
        ),
        // Nothing where there is no SwiftUI; what an app could write, so it sees the public API only.
        .target(
            name: "OstiarySwiftUI",
            dependencies: ["Ostiary", "OstiaryOAuth", "OstiaryJOSE", httpTypes],
            resources: [.process("Resources")],
            packageAccess: false
        ),
        .target(name: "OstiaryServer", dependencies: ["OstiaryOAuth", "OstiaryJOSE", httpTypes, crypto]),
        .target(
            name: "OstiaryHummingbird",
            dependencies: ["OstiaryServer", "OstiaryOAuth", httpTypes, hummingbird, logging] + metrics + connections
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
                "OstiaryServer", "OstiaryTesting", "OstiaryProvider", "OstiaryOAuth", "OstiaryJOSE", httpTypes,
            ]
        ),
        .testTarget(
            name: "OstiaryProviderTests",
            dependencies: ["OstiaryProvider", "OstiaryOAuth", "OstiaryJOSE", httpTypes]
        ),
        .testTarget(
            name: "OstiaryTests",
            dependencies: [
                "Ostiary", "OstiaryTesting", "OstiaryProvider", "OstiaryOAuth", "OstiaryJOSE", "StoreProbe", httpTypes,
                crypto,
            ]
        ),
        // What the tests of the stores start as a process of its own.
        .executableTarget(
            name: "StoreProbe",
            dependencies: ["Ostiary", "OstiaryTesting", "OstiaryOAuth"],
            path: "Tests/StoreProbe"
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
        dependencies: ["Ostiary", "OstiaryTesting", "OstiaryProvider", "OstiaryOAuth", httpTypes] + frontDoorTargets,
        exclude: ["Views", "Verbatim"]
    ),
]

// Blocks of vendors' documents, word for word, that were written for a compiler which is asked for less: its warnings about
// them stay warnings, and no upcoming feature is on.
let verbatim = "SeedSnippetsVerbatim"

// What a Mac runs on the real frameworks, and Linux on the stand-ins: nothing here knows of the simulated device.
let worldOfApple: [Target.Dependency] = [
    "Ostiary", "OstiarySwiftUI", "OstiaryTesting", "OstiaryProvider", "OstiaryOAuth", "OstiaryJOSE", httpTypes, crypto,
]
package.targets += [
    // The provider and the person that the tests of Apple's platforms share.
    .target(name: "AppleWorld", dependencies: worldOfApple, path: "Tests/AppleWorld"),
    .testTarget(name: "AppleTests", dependencies: worldOfApple + ["AppleWorld"], path: "Tests/Apple"),
    .testTarget(name: "AppleContracts", path: "Tests/AppleContracts"),
    // An app as Xcode makes new ones: everything is the main actor's that does not say otherwise.
    .testTarget(
        name: "MainActorConsumer",
        dependencies: [
            "Ostiary", "OstiarySwiftUI", "OstiaryTesting", "OstiaryProvider", "OstiaryOAuth", httpTypes,
        ] + frontDoorTargets,
        packageAccess: false,
        swiftSettings: [.defaultIsolation(MainActor.self)]
    ),
]
if simulated != nil {
    // What scripts the simulated device, on Linux only.
    package.targets += [
        .testTarget(
            name: "AppleSimulated",
            dependencies: worldOfApple + ["AppleWorld", "SimulatedWorld", "SwiftUIApp"] + frontDoorTargets,
            path: "Tests/AppleSimulated"
        ),
        .testTarget(
            name: "MainActorSimulated",
            dependencies: worldOfApple + ["AppleWorld", "SimulatedWorld"],
            path: "Tests/MainActorSimulated",
            packageAccess: false,
            swiftSettings: [.defaultIsolation(MainActor.self)]
        ),
        // The device, its windows and whoever sits in front of it.
        .target(name: "SimulatedWorld", dependencies: worldOfApple, path: "Tests/SimulatedWorld"),
        // What the vendors' documents show of an app's views.
        .testTarget(
            name: "SeedSnippetViews",
            dependencies: worldOfApple + ["SimulatedWorld"] + frontDoorTargets,
            path: "Tests/SeedSnippets/Views"
        ),
        .testTarget(
            name: verbatim,
            dependencies: worldOfApple + ["SimulatedWorld"] + frontDoorTargets,
            path: "Tests/SeedSnippets/Verbatim"
        ),
    ]
}

for target in package.targets where target.type != .system && target.name != verbatim {
    target.swiftSettings = (target.swiftSettings ?? []) + settings
}

// OSTIARY_TESTS names the only test target to compile, for a build that has other flags than the usual one.
if let onlyTests = Context.environment["OSTIARY_TESTS"], !onlyTests.isEmpty {
    package.targets.removeAll { $0.type == .test && $0.name != onlyTests }
}

if let simulated {
    let userInterface = simulated == "ios" ? "UIKit" : "AppKit"
    let standIns: [(name: String, dependencies: [Target.Dependency])] = [
        ("Security", []),
        ("LocalAuthentication", ["SimulatedSecurity"]),
        ("CryptoKit", ["SimulatedSecurity", "SimulatedLocalAuthentication", crypto]),
        ("DeviceCheck", [crypto]),
        (userInterface, ["SimulatedUserActivity"]),
        ("SwiftUI", ["SimulatedUserActivity", .init(stringLiteral: "Simulated\(userInterface)")]),
        ("AuthenticationServices", ["SimulatedSwiftUI", .init(stringLiteral: "Simulated\(userInterface)")]),
    ]
    // A stand-in is called Simulated<Name>, and <Name> only in a target with these flags: modules share one folder, and one
    // that is really called Security would be found by any package that is compiled after it.
    let aliases: [SwiftSetting] = [
        .unsafeFlags(standIns.flatMap { ["-module-alias", "\($0.name)=Simulated\($0.name)"] })
    ]
    // Apple's frameworks are not compiled under Swift 6 checking, and the compiler puts its run-time checks of isolation
    // (SE-0423) only into closures that are handed to such a module.
    let relaxed: [SwiftSetting] = [.swiftLanguageMode(.v5)]
    let compiledForApple =
        [
            "Ostiary", "OstiarySwiftUI", "SwiftUIApp", "AppleWorld", "AppleTests", "AppleContracts", "AppleSimulated",
            "SimulatedWorld", "SeedSnippets", "SeedSnippetViews", verbatim, "MainActorConsumer", "MainActorSimulated",
        ]
        + frontDoors.map { "Ostiary\($0)" }
    package.targets.removeAll { $0.type == .test && !compiledForApple.contains($0.name) }
    // The example is an app of Xcode's; here its sources are compiled, and its screens are walked through.
    package.targets.append(
        .executableTarget(
            name: "SwiftUIApp",
            dependencies: ["OstiarySwiftUI", "Ostiary", "OstiaryOAuth"] + frontDoorTargets,
            path: "Examples/SwiftUIApp/Sources/SwiftUIApp",
            packageAccess: false
        )
    )
    for target in package.targets where compiledForApple.contains(target.name) {
        target.dependencies += standIns.map { .init(stringLiteral: "Simulated\($0.name)") } + ["SimulatedPlatform"]
        target.swiftSettings = (target.swiftSettings ?? []) + aliases
        if target.name != verbatim { target.swiftSettings?.append(.treatAllWarnings(as: .error)) }
    }
    package.targets += [
        .target(name: "SimulatedPlatform", path: "Platform/SimulatedPlatform", swiftSettings: relaxed),
        // Foundation's own elsewhere; re-exported by the stand-ins whose callbacks bring it.
        .target(name: "SimulatedUserActivity", path: "Platform/SimulatedUserActivity", swiftSettings: relaxed),
    ]
    for standIn in standIns {
        package.targets.append(
            .target(
                name: "Simulated\(standIn.name)",
                dependencies: ["SimulatedPlatform"] + standIn.dependencies,
                path: "Platform/Simulated\(standIn.name)",
                swiftSettings: relaxed + aliases
            )
        )
    }
}
