// swift-tools-version: 6.2.1
import PackageDescription

// MARK: - Products

/// The libraries, one target each, with the folders below Sources/ named after them.
let libraries: [String] = [
    "Ostiary", "OstiaryOAuth", "OstiaryJOSE", "OstiarySwiftUI", "OstiaryMigration", "OstiaryAutomation",
    "OstiaryTesting", "OstiaryProvider", "OstiaryAsyncHTTPClient", "OstiaryServer", "OstiaryHummingbird",
    "OstiarySQLite", "OstiaryPostgreSQL",
]
/// The vendors' systems: Ostiary<Name> in Sources/FrontDoors, on Ostiary's public API only.
let frontDoors: [String] = ["AppAuth", "Curity", "Logi", "Logto", "SSAFY", "Zephr"]
/// The systems with a part for the app's own backend: Ostiary<Name>Server in Sources/ServerDoors.
let serverDoors: [String] = ["Logi", "SSAFY"]

/// The modules of the vendors' own SDKs, by the front door that each has the names of: in Sources/VendorModules.
let vendorModules: [(name: String, door: String)] = [
    ("LogiAuth", "Logi"), ("Logto", "Logto"), ("LogtoClient", "Logto"),
]

let frontDoorLibraries: [String] = frontDoors.map { "Ostiary\($0)" }
let serverDoorLibraries: [String] = serverDoors.map { "Ostiary\($0)Server" }
let vendorModuleNames: [String] = vendorModules.map(\.name)

let package = Package(
    name: "ostiary",
    // The language of OstiarySwiftUI's texts where it has no translation.
    defaultLocalization: "en",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    traits: [
        .default(enabledTraits: []),
        .trait(
            name: "AsyncHTTPClient",
            description: "AsyncHTTPClientTransport: the HTTP transport for Linux servers and command lines."
        ),
        .trait(
            name: "Hummingbird",
            description: "AccessTokenMiddleware: the backend kit on Hummingbird."
        ),
        .trait(
            name: "SQLite",
            description: """
                SQLiteServerStore: the backend kit's store in a file, for one instance. On Linux it needs an SQLite with \
                snapshots, or GRDB 7.10.0 or later.
                """
        ),
        .trait(
            name: "PostgreSQL",
            description: "PostgreSQLServerStore: the backend kit's store for several instances. It needs libpq."
        ),
    ],
    // docs/versions.md says why each minimum is not lower. An app without traits resolves the first two only.
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.1.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.0.3"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.33.1"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.3"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.26.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.34.3"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.10.1"),
    ],
    swiftLanguageModes: [.v6]
)

for name in libraries + frontDoorLibraries + serverDoorLibraries + vendorModuleNames {
    package.products.append(.library(name: name, targets: [name]))
}

// MARK: - Dependencies of the targets

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")

/// A product that is resolved and built only with a trait, so that an app does not fetch a server framework.
func product(_ name: String, of package: String, trait: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait]))
}

func targets(_ names: [String]) -> [Target.Dependency] {
    names.map { Target.Dependency.target(name: $0) }
}

/// Returns one list of several: with `+` between literals the compiler of Swift 6.2 gives up.
func joined(_ lists: [Target.Dependency]...) -> [Target.Dependency] {
    lists.flatMap { $0 }
}

/// The messages of the protocols, the keys and signatures below them, HTTP's own types, and what older systems lack.
let core: [Target.Dependency] = ["OstiaryOAuth", "OstiaryJOSE", "OstiaryCompatibility", httpTypes]
/// The client, a user agent, the test kit and the development provider: a whole sign-in in one process.
let wholeSignIn: [Target.Dependency] = joined(
    core,
    ["Ostiary", "OstiaryAutomation", "OstiaryTesting", "OstiaryProvider"]
)
let frontDoorTargets: [Target.Dependency] = targets(frontDoorLibraries)

// An app's privacy report is made of this file; Linux has no such report.
#if os(Linux)
    let privacyManifest: [Resource] = []
    let withoutPrivacyManifest: [String] = ["PrivacyInfo.xcprivacy"]
#else
    let privacyManifest: [Resource] = [.process("PrivacyInfo.xcprivacy")]
    let withoutPrivacyManifest: [String] = []
#endif

// MARK: - Libraries

let secretService = Target.Dependency.target(name: "CSecretService", condition: .when(platforms: [.linux]))
let libraryTargets: [Target] = [
    // What the standard library has in newer systems only. No product: an app does not see it.
    .target(name: "OstiaryCompatibility"),
    .target(name: "OstiaryJOSE", dependencies: ["OstiaryCompatibility", crypto, cryptoExtras]),
    .target(name: "OstiaryOAuth", dependencies: ["OstiaryCompatibility", "OstiaryJOSE", httpTypes, crypto]),
    .target(
        name: "Ostiary",
        dependencies: joined(core, [crypto, cryptoExtras, secretService]),
        exclude: withoutPrivacyManifest,
        resources: privacyManifest
    ),
    // The desktop's keyring on Linux. It is loaded when it is used: the build needs nothing of it.
    .target(name: "CSecretService", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    // Empty where there is no SwiftUI. An app could write it: it sees the public API only.
    .target(
        name: "OstiarySwiftUI",
        dependencies: joined(core, ["Ostiary"]),
        resources: [.process("Resources")],
        packageAccess: false
    ),
    // The readers of what other SDKs stored, and of an archive of sessions.
    .target(name: "OstiaryMigration", dependencies: joined(core, ["Ostiary"])),
    // The user agent that fills in forms: for tests and for command lines.
    .target(name: "OstiaryAutomation", dependencies: joined(core, ["Ostiary"])),
    .target(name: "OstiaryProvider", dependencies: joined(core, [crypto, cryptoExtras])),
    .target(name: "OstiaryTesting", dependencies: joined(core, ["Ostiary", "OstiaryServer", "OstiaryProvider"])),
]

// MARK: - Libraries behind traits, and the backend kit

let serverTargets: [Target] = [
    .target(
        name: "OstiaryAsyncHTTPClient",
        dependencies: [
            "OstiaryOAuth", httpTypes,
            product("AsyncHTTPClient", of: "async-http-client", trait: "AsyncHTTPClient"),
            product("NIOCore", of: "swift-nio", trait: "AsyncHTTPClient"),
            product("NIOHTTP1", of: "swift-nio", trait: "AsyncHTTPClient"),
            product("NIOPosix", of: "swift-nio", trait: "AsyncHTTPClient"),
            product("NIOSSL", of: "swift-nio-ssl", trait: "AsyncHTTPClient"),
        ]
    ),
    .target(name: "OstiaryServer", dependencies: joined(core, [crypto])),
    .target(
        name: "OstiaryHummingbird",
        dependencies: [
            "OstiaryServer", "OstiaryOAuth", "OstiaryCompatibility", httpTypes,
            product("Hummingbird", of: "hummingbird", trait: "Hummingbird"),
            product("Logging", of: "swift-log", trait: "Hummingbird"),
            product("Metrics", of: "swift-metrics", trait: "Hummingbird"),
            product("CoreMetrics", of: "swift-metrics", trait: "Hummingbird"),
            product("NIOCore", of: "swift-nio", trait: "Hummingbird"),
            product("NIOHTTPTypes", of: "swift-nio-extras", trait: "Hummingbird"),
        ]
    ),
    .target(
        name: "OstiarySQLite",
        dependencies: ["OstiaryServer", "OstiaryOAuth", product("GRDB", of: "GRDB.swift", trait: "SQLite")]
    ),
    .target(
        name: "OstiaryPostgreSQL",
        dependencies: [
            "OstiaryServer", "OstiaryOAuth", "OstiaryCompatibility",
            .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
        ]
    ),
    .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
]

// MARK: - Front doors

for name in frontDoors {
    // Logto's takes over the session that Logto's own SDK kept.
    let readers: [Target.Dependency] = name == "Logto" ? ["OstiaryMigration"] : []
    package.targets.append(
        .target(
            name: "Ostiary\(name)",
            dependencies: joined(core, ["Ostiary"], readers),
            path: "Sources/FrontDoors/\(name)",
            packageAccess: false
        )
    )
}
for module in vendorModules {
    package.targets.append(
        .target(
            name: module.name,
            dependencies: joined(core, targets(["Ostiary\(module.door)", "Ostiary"])),
            path: "Sources/VendorModules/\(module.name)",
            packageAccess: false
        )
    )
}
for name in serverDoors {
    package.targets.append(
        .target(
            name: "Ostiary\(name)Server",
            dependencies: joined(core, targets(["Ostiary\(name)", "OstiaryServer", "Ostiary"])),
            path: "Sources/ServerDoors/\(name)",
            packageAccess: false
        )
    )
}

// MARK: - Tests

let testTargets: [Target] = [
    .testTarget(name: "OstiaryCompatibilityTests", dependencies: ["OstiaryCompatibility"]),
    .testTarget(
        name: "OstiaryJOSETests",
        dependencies: ["OstiaryJOSE", "OstiaryCompatibility", crypto, cryptoExtras]
    ),
    .testTarget(name: "OstiaryOAuthTests", dependencies: core),
    .testTarget(
        name: "OstiaryServerTests",
        dependencies: joined(wholeSignIn, ["OstiaryServer"])
    ),
    .testTarget(name: "OstiaryProviderTests", dependencies: joined(core, ["OstiaryProvider"])),
    .testTarget(name: "OstiaryTests", dependencies: joined(wholeSignIn, ["OstiaryMigration", crypto, "StoreProbe"])),
    // The process that the tests of the stores start.
    .executableTarget(
        name: "StoreProbe",
        dependencies: ["Ostiary", "OstiaryTesting", "OstiaryOAuth", "OstiaryCompatibility"],
        path: "Tests/StoreProbe"
    ),
    .testTarget(name: "Conformance", dependencies: wholeSignIn),
    // Recordings are read from where they lie, so that a new one needs no rebuild.
    .testTarget(name: "Replays", dependencies: joined(wholeSignIn, ["OstiaryServer"]), exclude: ["Recordings"]),
    .testTarget(
        name: "FrontDoors",
        dependencies: joined(
            wholeSignIn,
            frontDoorTargets,
            targets(serverDoorLibraries),
            ["OstiaryServer", "OstiaryMigration"]
        )
    ),
    .testTarget(
        name: "OstiaryAppAuthTests",
        dependencies: joined(wholeSignIn, ["OstiaryAppAuth", "OstiaryMigration"]),
        packageAccess: false
    ),
    .testTarget(
        name: "SeedSnippets",
        dependencies: joined(wholeSignIn, frontDoorTargets, targets(vendorModuleNames)),
        exclude: ["Views", "Verbatim"]
    ),
]

// MARK: - Tests of Apple's platforms: a Mac runs them on the real frameworks, Linux on stand-ins

let appleDependencies: [Target.Dependency] = joined(wholeSignIn, ["OstiarySwiftUI", crypto])
let appleTestTargets: [Target] = [
    // The provider and the user that the tests of Apple's platforms share.
    .target(name: "AppleWorld", dependencies: appleDependencies, path: "Tests/AppleWorld"),
    .testTarget(name: "AppleTests", dependencies: joined(appleDependencies, ["AppleWorld"]), path: "Tests/Apple"),
    .testTarget(name: "AppleContracts", path: "Tests/AppleContracts"),
    // An app as Xcode makes new ones: a declaration belongs to the main actor unless it says otherwise.
    .testTarget(
        name: "MainActorConsumer",
        dependencies: joined(wholeSignIn, frontDoorTargets, ["OstiarySwiftUI"]),
        packageAccess: false,
        swiftSettings: [.defaultIsolation(MainActor.self)]
    ),
]

for targets in [libraryTargets, serverTargets, testTargets, appleTestTargets] { package.targets += targets }

// MARK: - Options of the compiler

let upcomingFeatures: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

/// Adds options to every target that is compiled.
@MainActor
func add(_ settings: [SwiftSetting]) {
    for target in package.targets where target.type != .system {
        target.swiftSettings = (target.swiftSettings ?? []) + settings
    }
}

add(upcomingFeatures)

// OSTIARY_WARNINGS=errors turns this package's own warnings into errors. A flag on the command line would also reach the
// dependencies, which are compiled without warnings, and the compiler rejects the two together.
let warningsAreErrors = Context.environment["OSTIARY_WARNINGS"] == "errors"
if warningsAreErrors { add([.treatAllWarnings(as: .error)]) }

// MARK: - Shapes of a test run on Linux: off unless the environment names one

// OSTIARY_TESTS names the only test targets to compile, separated by commas, for a build with other flags than the usual one or
// for a system that the others are not for.
if let onlyTests = Context.environment["OSTIARY_TESTS"], !onlyTests.isEmpty {
    let names: [String] = onlyTests.split(separator: ",").map(String.init)
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
    // The tests of the stores start it.
    if !names.contains("OstiaryTests") { package.targets.removeAll { $0.name == "StoreProbe" } }
}

// OSTIARY_APPLE=ios or macos compiles the code for Apple's platforms against the stand-ins in Platform/ and runs its tests.
#if os(Linux)
    if let shape = Context.environment["OSTIARY_APPLE"], !shape.isEmpty { simulate(shape) }
#endif

/// Adds the stand-ins of Apple's frameworks and the tests that run on them; removes the tests that are not for Apple's
/// platforms.
@MainActor
func simulate(_ shape: String) {
    guard let userInterface: String = ["ios": "UIKit", "macos": "AppKit"][shape] else {
        fatalError("OSTIARY_APPLE is ios or macos, not \(shape).")
    }
    // Blocks of vendors' documents, word for word. They were written for a compiler with fewer checks: their warnings stay
    // warnings, and no upcoming feature is on.
    let verbatim = "SeedSnippetsVerbatim"
    let onDevice: [Target.Dependency] = joined(appleDependencies, ["SimulatedWorld"])
    let added: [Target] = [
        // The device, its windows and the user in front of it.
        .target(name: "SimulatedWorld", dependencies: appleDependencies, path: "Tests/SimulatedWorld"),
        // The example is an app of Xcode's. Here its sources are compiled, and its screens are walked through.
        .executableTarget(
            name: "SwiftUIApp",
            dependencies: joined(frontDoorTargets, ["OstiarySwiftUI", "Ostiary", "OstiaryOAuth"]),
            path: "Examples/SwiftUIApp/Sources/SwiftUIApp",
            packageAccess: false
        ),
        .testTarget(
            name: "AppleSimulated",
            dependencies: joined(onDevice, frontDoorTargets, ["AppleWorld", "SwiftUIApp"]),
            path: "Tests/AppleSimulated"
        ),
        .testTarget(
            name: "MainActorSimulated",
            dependencies: joined(onDevice, ["AppleWorld"]),
            path: "Tests/MainActorSimulated",
            packageAccess: false,
            swiftSettings: [.defaultIsolation(MainActor.self)]
        ),
        // The views of the vendors' documents.
        .testTarget(
            name: "SeedSnippetViews",
            dependencies: joined(onDevice, frontDoorTargets),
            path: "Tests/SeedSnippets/Views"
        ),
        .testTarget(
            name: verbatim,
            dependencies: joined(onDevice, frontDoorTargets, targets(vendorModuleNames)),
            path: "Tests/SeedSnippets/Verbatim"
        ),
    ]
    for target in added where ![verbatim, "SwiftUIApp"].contains(target.name) {
        target.swiftSettings = (target.swiftSettings ?? []) + upcomingFeatures
    }
    package.targets += added

    // A stand-in is called Simulated<Name>, and <Name> only in a target with these flags: modules share one folder, and any
    // package that is compiled after a module called Security would find it.
    let standIns: [(name: String, dependencies: [Target.Dependency])] = [
        ("os", []),
        ("Security", []),
        ("LocalAuthentication", ["SimulatedSecurity"]),
        ("CryptoKit", ["SimulatedSecurity", "SimulatedLocalAuthentication", crypto]),
        ("DeviceCheck", [crypto]),
        (userInterface, []),
        ("SwiftUI", targets(["SimulatedFoundation", "Simulated\(userInterface)"])),
        ("AuthenticationServices", targets(["SimulatedSwiftUI", "Simulated\(userInterface)"])),
    ]
    var aliases: [String] = []
    for standIn in standIns { aliases += ["-module-alias", "\(standIn.name)=Simulated\(standIn.name)"] }
    // What Apple's Foundation has and the Foundation of Linux lacks is there without an import of its own. An import of UIKit
    // or AppKit that only such a declaration would need is then reported as unused, as on a Mac.
    let inPlaceOfFoundation: [String] = ["-Xfrontend", "-import-module", "-Xfrontend", "SimulatedFoundation"]

    var compiledForApple: [String] = [
        "OstiaryCompatibility", "OstiaryCompatibilityTests", "Ostiary", "OstiarySwiftUI", "AppleWorld",
        "AppleTests", "AppleContracts", "SeedSnippets", "MainActorConsumer",
    ]
    compiledForApple += frontDoorLibraries + vendorModuleNames
    compiledForApple += added.map(\.name)
    package.targets.removeAll { $0.type == .test && !compiledForApple.contains($0.name) }
    for target in package.targets where compiledForApple.contains(target.name) {
        target.dependencies += joined(
            targets(standIns.map { "Simulated\($0.name)" }),
            ["SimulatedPlatform", "SimulatedFoundation"]
        )
        var settings: [SwiftSetting] = [.unsafeFlags(aliases), .unsafeFlags(inPlaceOfFoundation)]
        if target.name != verbatim, !warningsAreErrors { settings.append(.treatAllWarnings(as: .error)) }
        target.swiftSettings = (target.swiftSettings ?? []) + settings
    }

    // Apple's frameworks are not compiled under Swift 6 checking, and the compiler puts its run-time checks of isolation
    // (SE-0423) only into closures that are passed to such a module.
    let relaxed: [SwiftSetting] = [.swiftLanguageMode(.v5)]
    // The device is a Mac from the start, also for tests that do not know that it is simulated.
    let system: [SwiftSetting] = shape == "macos" ? [.define("SIMULATED_MAC")] : []
    let foundation: [Target] = [
        .target(name: "SimulatedPlatform", path: "Platform/SimulatedPlatform", swiftSettings: relaxed + system),
        .target(
            name: "SimulatedFoundation",
            dependencies: ["SimulatedPlatform"],
            path: "Platform/SimulatedFoundation",
            swiftSettings: relaxed
        ),
    ]
    package.targets += foundation
    for standIn in standIns {
        package.targets.append(
            .target(
                name: "Simulated\(standIn.name)",
                dependencies: joined(["SimulatedPlatform"], standIn.dependencies),
                path: "Platform/Simulated\(standIn.name)",
                swiftSettings: [.swiftLanguageMode(.v5), .unsafeFlags(aliases)]
            )
        )
    }
}
