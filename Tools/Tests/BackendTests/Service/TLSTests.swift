import AsyncHTTPClient
import Backend
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Testing

@Suite("The service with a certificate of its own", .timeLimit(.minutes(5)))
struct TLSTests {
    /// The status that a client sees who trusts one authority.
    private func status(
        _ url: String,
        trusting certificate: String,
        _ change: (inout TLSConfiguration) -> Void = { _ in }
    ) async throws -> Int {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(certificate)
        change(&tls)
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.timeout.connect = .seconds(5)
        // One try: a certificate that is wrong once is wrong again.
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(configuration: configuration)
        let result: Result<Int, any Error>
        do {
            let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(10))
            _ = try await response.body.collect(upTo: 4096)
            result = .success(Int(response.status.code))
        } catch {
            result = .failure(error)
        }
        try await client.shutdown()
        return try result.get()
    }

    @Test("A client that trusts the certificate connects, by the certificate's name alone")
    func verified() async throws {
        let certificate = try await SelfMadeCertificate()
        let service = try await ServiceFixture(certificate.members)
        let port = service.running.port
        #expect(try await status("https://localhost:\(port)/health", trusting: certificate.certificate) == 200)
        await #expect(throws: (any Error).self) {
            try await status("https://127.0.0.1:\(port)/health", trusting: certificate.certificate)
        }
        await service.running.stop()
    }

    @Test("A client that does not trust the certificate, or speaks no current TLS, is rejected")
    func refused() async throws {
        let certificate = try await SelfMadeCertificate()
        let other = try await SelfMadeCertificate()
        let service = try await ServiceFixture(certificate.members)
        let port = service.running.port
        await #expect(throws: (any Error).self) {
            try await status("https://localhost:\(port)/health", trusting: other.certificate)
        }
        await #expect(throws: (any Error).self) {
            try await status("http://localhost:\(port)/health", trusting: certificate.certificate)
        }
        await #expect(throws: (any Error).self) {
            try await status("https://localhost:\(port)/health", trusting: certificate.certificate) {
                $0.minimumTLSVersion = .tlsv1
                $0.maximumTLSVersion = .tlsv11
            }
        }
        #expect(try await status("https://localhost:\(port)/health", trusting: certificate.certificate) == 200)
        await service.running.stop()
    }

    @Test("A certificate with another key is refused before the backend listens")
    func otherKey() async throws {
        let certificate = try await SelfMadeCertificate()
        let other = try await SelfMadeCertificate()
        let members = #""tls": {"certificate_chain": "\#(certificate.certificate)", "private_key": "\#(other.key)"}, "#
        let configuration = try ServiceFixture.configuration(members)
        await #expect(throws: BackendFailure.certificate("\(certificate.certificate), \(other.key)")) {
            try await BackendServer.check(configuration)
        }
    }

    @Test("A connection without a TLS handshake is closed at the time limit")
    func noHandshake() async throws {
        let certificate = try await SelfMadeCertificate()
        let service = try await ServiceFixture(certificate.members + #""request_seconds": 0.3, "#)
        let connection = try LoopbackConnection(port: service.running.port)
        await connection.wait { _ in false }
        #expect(connection.isEnded)
        await service.running.stop()
    }
}
