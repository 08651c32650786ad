/// A vendor's system, with the requirements of its documents on an app's files.
package struct KnownSystem: Sendable, Hashable {
    /// The name on the command line.
    package let name: String
    /// The name in sentences.
    let title: String
    /// The modules of the vendor's SDK and of ours.
    let modules: Set<String>
    /// The hosts of the provider's own pages and of its app.
    let hosts: [String]
    /// The issuer, where there is one for all.
    let issuer: String?
    /// The schemes that the document requires in `LSApplicationQueriesSchemes`.
    let queriedSchemes: [String]
    /// The scheme of the provider's own app.
    let appScheme: String?
    /// Schemes of the document's samples, which every app that copied them shares.
    let sampleSchemes: Set<String>
    /// Whether the redirect comes back through the app's own handling of URLs, not only through the browser session.
    let returnsThroughApp: Bool

    package static let all = [curity, logi, logto, ssafy, zephr]

    package static let curity = KnownSystem(
        name: "curity",
        title: "Curity Identity Server",
        modules: ["OstiaryCurity"],
        hosts: [],
        issuer: nil,
        queriedSchemes: [],
        appScheme: nil,
        sampleSchemes: ["io.curity.client", "io.curity.dcrclient"],
        returnsThroughApp: false
    )
    package static let logi = KnownSystem(
        name: "logi",
        title: "logi",
        modules: ["LogiAuth", "OstiaryLogi"],
        hosts: ["api.1pass.dev", "open.1pass.dev"],
        issuer: "https://api.1pass.dev",
        queriedSchemes: ["onepass", "https"],
        appScheme: "onepass",
        sampleSchemes: ["com.example.myapp", "myapp"],
        returnsThroughApp: true
    )
    package static let logto = KnownSystem(
        name: "logto",
        title: "Logto",
        modules: ["Logto", "LogtoClient", "OstiaryLogto"],
        hosts: [],
        issuer: nil,
        queriedSchemes: [],
        appScheme: nil,
        sampleSchemes: ["io.logto.app", "io.logto"],
        returnsThroughApp: false
    )
    package static let ssafy = KnownSystem(
        name: "ssafy",
        title: "SSAFY Verify",
        modules: ["OstiarySSAFY"],
        hosts: ["verify.myknow.xyz"],
        issuer: "https://verify.myknow.xyz",
        queriedSchemes: [],
        appScheme: nil,
        sampleSchemes: ["partnerapp"],
        returnsThroughApp: false
    )
    package static let zephr = KnownSystem(
        name: "zephr",
        title: "Zephr",
        modules: ["Zephr", "BlaizePublic", "OstiaryZephr"],
        hosts: [],
        issuer: nil,
        queriedSchemes: [],
        appScheme: nil,
        sampleSchemes: ["my-app"],
        returnsThroughApp: false
    )

    package static func == (left: KnownSystem, right: KnownSystem) -> Bool { left.name == right.name }
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
