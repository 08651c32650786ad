import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import SimulatedPlatform
import SimulatedWorld

@testable import Ostiary
@testable import OstiaryAutomation

/// A provider in this process, and the device's browser connected to it; alice is in front of the device.
struct Site: Sendable {
    static let issuer = "https://id.example.test"

    let clock: TestClock
    let network: InProcessProvider
    let store = MemoryStore()

    init(clock: TestClock = TestClock()) throws {
        self.clock = clock
        var random = SecureRandom()
        let alice = ProviderUser(
            name: "alice",
            passwordHash: try PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random),
            subject: "alice-subject"
        )
        let redirectURIs = try ["com.example.app:/callback", "https://app.example.com/callback"].map {
            try RedirectURI($0)
        }
        let configuration = ProviderConfiguration(
            issuer: try Issuer(Self.issuer),
            clients: [
                RegisteredClient(id: "app", name: "The app", redirectURIs: redirectURIs, requiresConsent: false)
            ],
            users: [alice],
            signingAlgorithms: [.es256, .rs256],
            signingKeys: [
                try SigningKey.generate(.es256, keyID: "site-key"),
                try SigningKey.generate(.rs256, keyID: "site-key-rsa"),
            ]
        )
        let provider = Provider(configuration: configuration, clock: clock.device, random: SecureRandom())
        network = InProcessProvider(provider: provider)
        device.browser.transport = Self.transport(to: network)
        device.browser.script = Self.alice
    }

    /// A client whose page the device's sheet presents.
    func client(
        redirectURI: String = "com.example.app:/callback",
        userAgent: any UserAgent = WebAuthenticationUserAgent(),
        policy: SessionPolicy = SessionPolicy(),
        store other: (any SecretStore)? = nil
    ) throws -> SignInClient {
        SignInClient(
            issuer: try Issuer(Self.issuer),
            client: try Client(id: "app", redirectURI: try RedirectURI(redirectURI)),
            configuration: SignInClient.Configuration(
                userAgent: userAgent,
                transport: network,
                store: other ?? store,
                policy: policy,
                clock: clock.device
            )
        )
    }

    /// Alice, who fills in the form with a password.
    static let alice: SimulatedBrowser.Script = { page in
        let filling = FormFilling(
            credentials: .init(name: "alice", password: Secret("wonderland")),
            answer: .approve,
            isEndSession: false
        )
        guard let form = try? filling.login(on: HTMLPage(page.body)) else { return .wait }
        return .submit(to: form.action, fields: form.fields.pairs.map { (name: $0.name.rawValue, value: $0.value) })
    }

    /// The browser's network: this provider alone.
    static func transport(to network: any HTTPTransport) -> BrowserTransport {
        { request in
            var fields = HTTPFields()
            for (name, value) in request.fields where name.lowercased() != "content-type" {
                if let name = HTTPField.Name(name) { fields[name] = value }
            }
            let form = FormURLEncoding.decode(String(decoding: request.body, as: UTF8.self)) ?? Parameters()
            let sent = EndpointRequest(
                url: request.url,
                method: request.method == "POST" ? .post : .get,
                fields: fields,
                form: form
            )
            guard let response = try? await network.send(sent) else { return nil }
            return BrowserResponse(
                status: response.status.code,
                fields: response.fields.map { ($0.name.canonicalName, $0.value) },
                body: response.body
            )
        }
    }
}
