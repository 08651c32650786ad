import AsyncHTTPClient
import Backend
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import OstiaryOAuth
import Testing

@Suite("Reloading a running service", .timeLimit(.minutes(5)))
struct ReloadTests {
    private static let key = BackendConfigurationTests.key
    private static let newKey = Data(repeating: 8, count: 32).base64EncodedString()

    private func configuration(
        of world: SignInWorld,
        secret: String = SignInWorld.clientSecret,
        _ change: (String) -> String = { $0 }
    ) throws -> BackendConfiguration {
        let text = change(try String(contentsOfFile: world.file.path, encoding: .utf8))
        try Data(text.utf8).write(to: URL(filePath: world.file.path))
        return try BackendConfiguration(
            contentsOf: world.file.path,
            environment: [
                "KEY": Self.key, "NEW": Self.newKey, "SECRET": secret,
            ]
        )
    }

    @Test("A client secret that was replaced at the issuer is taken up without a restart")
    func clientSecret() async throws {
        let world = try await SignInWorld(secret: "mistyped")
        #expect(try await world.finish().status == 400)
        try world.services[0].reload(configuration(of: world))
        #expect(try await world.finish().status == 200)
        await world.stop()
    }

    /// Turns the sign-in of a configuration into the second of two; the first has a wrong secret.
    private static let several = SignInWorld.Change { text in
        let partner = #"""
            {"path": "/partner", "issuer": ISSUER, "client_id": "service", "client_secret": {"environment": "PASSWORD"},
             "redirect_uri": "com.example.app:/callback"}
            """#
        let issuer = text.firstMatch(of: #/"sign_in": \{"issuer": ("[^"]+")/#).map { String($0.1) } ?? ""
        let first = partner.replacing("ISSUER", with: issuer)
        return text.replacing(#""sign_in": {"#, with: #""sign_in": [\#(first), {"#).replacing("]}}", with: "]}]}")
    }

    @Test("The secret of one of two sign-ins is replaced, and the other sign-in and its sessions stay")
    func severalSignIns() async throws {
        let world = try await SignInWorld(changing: Self.several)
        let session = try await world.signIn()
        #expect(try await world.finish(at: "/partner").status == 400)
        try world.services[0].reload(configuration(of: world) { $0.replacing("PASSWORD", with: "SECRET") })
        #expect(try await world.finish(at: "/partner").status == 200)
        #expect(try await world.ask(.GET, "/auth/session", session: session).status == 200)
        #expect(try await world.finish().status == 200)
        await world.stop()
    }

    @Test("A reload that removes one of two sign-ins changes neither, and names the removed one")
    func removedSignIn() async throws {
        let world = try await SignInWorld(changing: Self.several)
        let text = try String(contentsOfFile: world.file.path, encoding: .utf8)
        let fewer = try configuration(of: world) { _ in
            let start = text.firstRange(of: #"{"path": "/partner""#)?.lowerBound ?? text.startIndex
            let end = text[start...].firstRange(of: #"callback"},"#)?.upperBound ?? start
            return text.replacingCharacters(in: start..<end, with: "")
        }
        let error = #expect(throws: BackendConfigurationError.self) { try world.services[0].reload(fewer) }
        #expect(error?.member == "the sign-in at /partner")
        #expect(try await world.finish(at: "/partner").status == 400)
        #expect(try await world.finish().status == 200)
        await world.stop()
    }

    @Test("A sealing key is replaced while sessions go on, and a retired one ends them")
    func sealingKeys() async throws {
        let world = try await SignInWorld()
        let old = try await world.signIn()
        let one = #"{"id": "1", "key": {"environment": "KEY"}}"#
        let two = #"{"id": "2", "key": {"environment": "NEW"}}"#
        try world.services[0].reload(configuration(of: world) { $0.replacing(one, with: "\(two), \(one)") })
        #expect(try await world.ask(.GET, "/auth/session", session: old).status == 200)
        let new = try await world.signIn()
        try world.services[0].reload(
            configuration(of: world) { $0.replacing(one, with: #"{"id": "1", "retired": true}"#) }
        )
        #expect(try await world.ask(.GET, "/auth/session", session: new).status == 200)
        #expect(try await world.ask(.GET, "/auth/session", session: old).status == 401)
        await world.stop()
    }

    @Test("A reload that needs a restart changes nothing and says so")
    func unfit() async throws {
        let world = try await SignInWorld()
        let other = try configuration(of: world) { text in
            text.replacing(
                "\"client_id\"",
                with: "\"token_endpoint_auth_method\": \"client_secret_post\", \"client_id\""
            )
        }
        #expect(throws: BackendConfigurationError.self) { try world.services[0].reload(other) }
        #expect(try await world.finish().status == 200)
        await world.stop()
    }

    @Test("A renewed certificate is used for new connections")
    func certificate() async throws {
        let (old, new) = (try await SelfMadeCertificate(), try await SelfMadeCertificate())
        let service = try await ServiceFixture(old.members)
        let url = "https://localhost:\(service.running.port)/health"
        #expect(await answers(url, trusting: old))
        #expect(await !answers(url, trusting: new))
        try service.running.reload(ServiceFixture.configuration(new.members))
        #expect(await answers(url, trusting: new))
        #expect(await !answers(url, trusting: old))
        let mixed = #""tls": {"certificate_chain": "\#(new.certificate)", "private_key": "\#(old.key)"}, "#
        #expect(throws: BackendFailure.self) { try service.running.reload(ServiceFixture.configuration(mixed)) }
        #expect(throws: BackendConfigurationError.self) {
            try service.running.reload(ServiceFixture.configuration())
        }
        #expect(await answers(url, trusting: new))
        await service.running.stop()
    }

    private func answers(_ url: String, trusting certificate: SelfMadeCertificate) async -> Bool {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(certificate.certificate)
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.timeout.connect = .seconds(5)
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(configuration: configuration)
        let response = try? await client.execute(HTTPClientRequest(url: url), timeout: .seconds(10))
        _ = try? await response?.body.collect(upTo: 4096)
        try? await client.shutdown()
        return response?.status == .ok
    }

    @Test("SIGHUP reloads the configuration, and an unreadable file keeps the current one")
    func signal() async throws {
        let process = try await BackendProcess()
        process.hangUp()
        #expect(await process.waits(for: "reloaded: sealing keys"))
        process.spoilConfiguration()
        process.hangUp()
        #expect(await process.waits(for: "reload failed"))
        let response = try await HTTPClient.shared.execute(
            HTTPClientRequest(url: "http://127.0.0.1:\(process.port)/health"),
            timeout: .seconds(10)
        )
        #expect(response.status == .ok)
        process.terminate()
        #expect(await process.status() == 0)
    }
}
