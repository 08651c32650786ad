// swift-tools-version: 6.2.1
import PackageDescription

let package = Package(
    name: "ostiary",
    defaultLocalization: "en",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    // docs/versions.md says why each minimum is not lower. An app without traits resolves the first two only.
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.1.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.0.3"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.33.1"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.3"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.26.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.34.3"),
        .package(url: "https://github.com/vapor/vapor.git", from: "4.122.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.8.0"),
        .package(url: "https://github.com/vapor/postgres-nio.git", from: "1.33.1"),
        .package(url: "https://github.com/valkey-io/valkey-swift.git", from: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.10.1"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.4.1"),
    ],
    swiftLanguageModes: [.v6]
)
let traits: KeyValuePairs<String, String> = [
    "AsyncHTTPClient": "AsyncHTTPClientTransport: the HTTP transport for Linux servers and command lines.",
    "Hummingbird": "AccessTokenMiddleware: the backend kit on Hummingbird.",
    "Vapor": "AccessTokenMiddleware and AccessTokenAuthenticator: the backend kit on Vapor.",
    "SQLite": "SQLiteServerStore: a store in a file, for one instance. On Linux: GRDB 7.10.0 or SQLite with snapshots.",
    "PostgreSQL": "PostgreSQLServerStore: the backend kit's store for several instances.",
    "Valkey": "ValkeyStore: the backend kit's replays and rate limits for several instances, off the database.",
]
package.traits = [.default(enabledTraits: [])]
for (name, description) in traits { package.traits.insert(.trait(name: name, description: description)) }

// MARK: - Forms: a stranger is a target that sees the public API only, as an app does
func module(_ name: String, _ needs: [Target.Dependency]..., path: String? = nil, stranger: Bool = false) -> Target {
    .target(name: name, dependencies: needs.flatMap { $0 }, path: path, packageAccess: !stranger)
}
func suite(_ name: String, _ needs: [Target.Dependency]..., path: String? = nil, stranger: Bool = false) -> Target {
    .testTarget(name: name, dependencies: needs.flatMap { $0 }, path: path, packageAccess: !stranger)
}
func face(_ name: String, _ folder: String, _ needs: [Target.Dependency] = []) -> Target {
    module(name, core, ["Ostiary"], needs, path: "Sources/\(folder)", stranger: true)
}
func targets(_ names: [String]) -> [Target.Dependency] { names.map { Target.Dependency.target(name: $0) } }
/// Returns one list of several: with `+` between literals the compiler of Swift 6.2 gives up.
func joined(_ lists: [Target.Dependency]...) -> [Target.Dependency] { lists.flatMap { $0 } }
let packageOfProduct: [String: String] = [
    "AsyncHTTPClient": "async-http-client", "CoreMetrics": "swift-metrics", "GRDB": "GRDB.swift",
    "Hummingbird": "hummingbird", "Logging": "swift-log", "Metrics": "swift-metrics", "NIOCore": "swift-nio",
    "NIOHTTP1": "swift-nio", "NIOHTTPTypes": "swift-nio-extras", "NIOPosix": "swift-nio", "NIOSSL": "swift-nio-ssl",
    "PostgresNIO": "postgres-nio", "Tracing": "swift-distributed-tracing", "Valkey": "valkey-swift", "Vapor": "vapor",
]
func products(_ traits: Set<String>, _ names: String...) -> [Target.Dependency] {
    names.map { .product(name: $0, package: packageOfProduct[$0] ?? $0, condition: .when(traits: traits)) }
}
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let http = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let secretService = Target.Dependency.target(name: "CSecretService", condition: .when(platforms: [.linux]))
/// The messages of the protocols, the keys and signatures below them, HTTP's own types, and what older systems lack.
let core: [Target.Dependency] = ["OstiaryOAuth", "OstiaryJOSE", "OstiaryCompatibility", http]
let server: [Target.Dependency] = ["OstiaryServer", "OstiaryOAuth", "OstiaryCompatibility"]
let client = products(["AsyncHTTPClient"], "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL")
let hummingbird = products(["Hummingbird"], "Hummingbird", "Logging", "NIOCore", "NIOHTTPTypes", "Tracing")
let vapor = products(["Vapor"], "Vapor", "Logging", "NIOCore", "NIOHTTP1", "Tracing")
let postgres = products(["PostgreSQL"], "PostgresNIO", "Logging", "NIOCore", "NIOPosix", "NIOSSL")
let valkey = products(["Valkey"], "Valkey", "NIOCore", "NIOSSL", "Logging")
let logs = products(["Hummingbird", "Vapor"], "Logging", "Metrics", "CoreMetrics", "Tracing")
let adapter: [Target.Dependency] = joined(server, ["OstiaryObservability", http])
let ostiary: Target = module("Ostiary", core, [crypto, cryptoExtras, secretService])
// An app's privacy report is made of this file; Linux has no such report.
#if os(Linux)
    ostiary.exclude = ["PrivacyInfo.xcprivacy"]
#else
    ostiary.resources = [.process("PrivacyInfo.xcprivacy")]
#endif
let swiftUI: Target = module("OstiarySwiftUI", core, ["Ostiary"], stranger: true)
swiftUI.resources = [.process("Resources")]
let libraries: [Target] = [
    module("OstiaryJOSE", ["OstiaryCompatibility", crypto, cryptoExtras]),
    module("OstiaryOAuth", ["OstiaryCompatibility", "OstiaryJOSE", http, crypto]), ostiary, swiftUI,
    module("OstiaryMigration", core, ["Ostiary"]), module("OstiaryAutomation", core, ["Ostiary"]),
    module("OstiaryTesting", core, ["Ostiary", "OstiaryAutomation", "OstiaryServer", "OstiaryProvider"]),
    module("OstiaryProvider", core, [crypto, cryptoExtras]), module("OstiaryServer", core, [crypto]),
    module("OstiaryAsyncHTTPClient", ["OstiaryOAuth", http], client),
    module("OstiaryHummingbird", adapter, hummingbird), module("OstiaryVapor", adapter, vapor),
    module("OstiarySQLite", server, products(["SQLite"], "GRDB")), module("OstiaryPostgreSQL", server, postgres),
    module("OstiaryValkey", server, valkey), module("OstiaryProviderDialects", core, ["OstiaryProvider"]),
    // The vendors' systems, their parts for an app's backend, and the names of the vendors' own SDKs over them.
    face("OstiaryAppAuth", "FrontDoors/AppAuth"), face("OstiaryCurity", "FrontDoors/Curity"),
    face("OstiaryLogi", "FrontDoors/Logi"), face("OstiaryLogto", "FrontDoors/Logto", ["OstiaryMigration"]),
    face("OstiarySSAFY", "FrontDoors/SSAFY"), face("OstiaryZephr", "FrontDoors/Zephr"),
    face("OstiaryLogiServer", "ServerDoors/Logi", ["OstiaryLogi", "OstiaryServer"]),
    face("OstiarySSAFYServer", "ServerDoors/SSAFY", ["OstiarySSAFY", "OstiaryServer"]),
    face("LogiAuth", "VendorModules/LogiAuth", ["OstiaryLogi"]), face("Logto", "VendorModules/Logto", ["OstiaryLogto"]),
    face("LogtoClient", "VendorModules/LogtoClient", ["OstiaryLogto"]),
]
for library in libraries { package.products.append(.library(name: library.name, targets: [library.name])) }
package.targets = libraries
package.targets += [
    // What the standard library has in newer systems only. No product: an app does not see it.
    module("OstiaryCompatibility"),
    // What the adapters log, count and trace. No product: they pass it on.
    module("OstiaryObservability", server, [http], logs),
    // The desktop's keyring on Linux. It is loaded when it is used: the build needs nothing of it.
    .target(name: "CSecretService", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
]

// MARK: - Tests; those of Apple's platforms run on the real frameworks on a Mac, and on stand-ins on Linux
let doorNames: [String] = libraries.filter { $0.path?.hasPrefix("Sources/FrontDoors/") == true }.map(\.name)
let vendorNames: [String] = libraries.filter { $0.path?.hasPrefix("Sources/VendorModules/") == true }.map(\.name)
let vendors: [Target.Dependency] = targets(vendorNames)
/// The vendors' front doors, and their systems as dialects of the development provider.
let doors: [Target.Dependency] = joined(targets(doorNames), ["OstiaryProviderDialects"])
/// The client, a user agent, the test kit and the development provider: a whole sign-in in one process.
let full: [Target.Dependency] = joined(core, ["Ostiary", "OstiaryAutomation", "OstiaryTesting", "OstiaryProvider"])
let apple: [Target.Dependency] = joined(full, ["OstiarySwiftUI", crypto])
/// An app as Xcode makes new ones: a declaration belongs to the main actor unless it says otherwise.
let consumer: Target = suite("MainActorConsumer", full, doors, ["OstiarySwiftUI"], stranger: true)
consumer.swiftSettings = [.defaultIsolation(MainActor.self)]
package.targets += [
    suite("OstiaryCompatibilityTests", ["OstiaryCompatibility"]), suite("OstiaryOAuthTests", core),
    suite("OstiaryJOSETests", ["OstiaryJOSE", "OstiaryCompatibility", crypto, cryptoExtras]),
    suite("OstiaryServerTests", full, ["OstiaryServer"]), suite("OstiaryProviderTests", core, ["OstiaryProvider"]),
    suite("OstiaryTests", full, ["OstiaryMigration", crypto, "StoreProbe"]), suite("Conformance", full),
    .executableTarget(name: "StoreProbe", dependencies: full, path: "Tests/StoreProbe"),
    // Recordings are read from where they lie, so that a new one needs no rebuild.
    .testTarget(name: "Replays", dependencies: joined(full, ["OstiaryServer"]), exclude: ["Recordings"]),
    suite("FrontDoors", full, doors, ["OstiaryServer", "OstiaryLogiServer", "OstiarySSAFYServer", "OstiaryMigration"]),
    suite("OstiaryAppAuthTests", full, doors, ["OstiaryMigration"], stranger: true),
    .testTarget(name: "SeedSnippets", dependencies: joined(full, doors, vendors), exclude: ["Views", "Verbatim"]),
    module("AppleWorld", apple, path: "Tests/AppleWorld"), suite("AppleContracts"), consumer,
    suite("AppleTests", apple, ["AppleWorld"], path: "Tests/Apple"),
]
let upcoming: [SwiftSetting] = [
    "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
    "InferIsolatedConformances",
].map { (name: String) in SwiftSetting.enableUpcomingFeature(name) }
func add(_ settings: [SwiftSetting], to list: some Sequence<Target>) {
    for target in list where target.type != .system { target.swiftSettings = (target.swiftSettings ?? []) + settings }
}
add(upcoming, to: package.targets)
// OSTIARY_WARNINGS=errors turns this package's own warnings into errors. A flag on the command line would also reach
// the dependencies, which are compiled without warnings, and the compiler rejects the two together.
let warningsAreErrors: Bool = Context.environment["OSTIARY_WARNINGS"] == "errors"
if warningsAreErrors { add([.treatAllWarnings(as: .error)], to: package.targets) }
// OSTIARY_TESTS names the only test targets to compile, separated by commas. OstiaryTests starts StoreProbe.
if let only = Context.environment["OSTIARY_TESTS"], !only.isEmpty {
    let names: [String] = only.split(separator: ",").map(String.init)
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
    if !names.contains("OstiaryTests") { package.targets.removeAll { $0.name == "StoreProbe" } }
}
// OSTIARY_APPLE=ios or macos compiles the code for Apple's platforms against the stand-ins in Platform/, with tests.
#if os(Linux)
    if let shape = Context.environment["OSTIARY_APPLE"], !shape.isEmpty { simulate(shape) }
#endif
/// Adds the stand-ins of Apple's frameworks and the tests on them; removes the tests of other platforms.
@MainActor
func simulate(_ shape: String) {
    precondition(["ios", "macos"].contains(shape), "OSTIARY_APPLE is ios or macos, not \(shape).")
    let interface: String = shape == "macos" ? "AppKit" : "UIKit"
    let world: [Target.Dependency] = joined(apple, ["SimulatedWorld"])
    let onMain: Target = suite("MainActorSimulated", world, ["AppleWorld"], stranger: true)
    onMain.swiftSettings = [.defaultIsolation(MainActor.self)]
    // An app of Xcode's, and blocks of vendors' documents, word for word: their warnings stay warnings.
    let path = "Examples/SwiftUIApp/Sources/SwiftUIApp"
    let needs: [Target.Dependency] = joined(targets(doorNames), ["OstiarySwiftUI", "Ostiary", "OstiaryOAuth"])
    let app: Target = .executableTarget(name: "SwiftUIApp", dependencies: needs, path: path, packageAccess: false)
    let verbatim: Target = suite("SeedSnippetsVerbatim", world, doors, vendors, path: "Tests/SeedSnippets/Verbatim")
    let added: [Target] = [
        module("SimulatedWorld", apple, path: "Tests/SimulatedWorld"), onMain,
        suite("AppleSimulated", world, doors, ["AppleWorld", "SwiftUIApp"]),
        suite("SeedSnippetViews", world, doors, path: "Tests/SeedSnippets/Views"), app, verbatim,
    ]
    add(upcoming, to: added.prefix(4))
    package.targets += added
    // A stand-in is called Simulated<Name>, and <Name> only in a target with these flags: modules share one folder, and
    // any package that is compiled after a module called Security would find it.
    let standIns: KeyValuePairs<String, [Target.Dependency]> = [
        "os": [], "Security": [], "LocalAuthentication": ["SimulatedSecurity"],
        "CryptoKit": ["SimulatedSecurity", "SimulatedLocalAuthentication", crypto],
        "DeviceCheck": [crypto], interface: [], "SwiftUI": targets(["SimulatedFoundation", "Simulated\(interface)"]),
        "AuthenticationServices": targets(["SimulatedSwiftUI", "Simulated\(interface)"]),
    ]
    let aliases: [String] = standIns.flatMap { ["-module-alias", "\($0.key)=Simulated\($0.key)"] }
    // What Apple's Foundation has and that of Linux lacks is there without an import of its own.
    let flags: [String] = ["-Xfrontend", "-import-module", "-Xfrontend", "SimulatedFoundation"]
    var kept: [String] = ["OstiaryCompatibility", "OstiaryCompatibilityTests", "Ostiary", "OstiarySwiftUI"]
    kept += ["AppleWorld", "AppleTests", "AppleContracts", "SeedSnippets", "MainActorConsumer"]
    kept += doorNames + vendorNames + added.map(\.name)
    package.targets.removeAll { $0.type == .test && !kept.contains($0.name) }
    let compiled: [Target] = package.targets.filter { kept.contains($0.name) }
    let needed: [Target.Dependency] = joined(["SimulatedPlatform"], targets(standIns.map { "Simulated\($0.key)" }))
    for target in compiled { target.dependencies += joined(needed, ["SimulatedFoundation"]) }
    add([.unsafeFlags(aliases), .unsafeFlags(flags)], to: compiled)
    if !warningsAreErrors { add([.treatAllWarnings(as: .error)], to: compiled.filter { $0.name != verbatim.name }) }
    // Apple's frameworks are not compiled under Swift 6 checking, and the compiler puts its checks of isolation at run
    // time (SE-0423) only into closures that are passed to such a module. A Mac is one from the start.
    func standIn(_ name: String, _ needs: [Target.Dependency], _ settings: [SwiftSetting]) {
        package.targets.append(module("Simulated\(name)", needs, path: "Platform/Simulated\(name)"))
        for list: [SwiftSetting] in [[.swiftLanguageMode(.v5)], settings] { add(list, to: package.targets.suffix(1)) }
    }
    standIn("Platform", [], shape == "macos" ? [.define("SIMULATED_MAC")] : [])
    standIn("Foundation", ["SimulatedPlatform"], [])
    for (name, needs) in standIns { standIn(name, joined(["SimulatedPlatform"], needs), [.unsafeFlags(aliases)]) }
}
