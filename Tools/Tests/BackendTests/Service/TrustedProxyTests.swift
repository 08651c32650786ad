import Foundation
import Logging
import NIOCore
import NIOHTTP1
import Testing

@testable import Backend

@Suite("Proxies whose word counts", .timeLimit(.minutes(5)))
struct TrustedProxyTests {
    private static let limited = """
        "ssafy": {"client_id": "a", "redirect_uris": ["https://app.example.com/callback"],
                  "requests_per_minute_and_sender": 1}, "client_address": "forwarded",
        """

    private func statuses(_ proxies: String, _ first: [String], _ second: [String]) async throws -> [Int] {
        let service = try await ServiceFixture(Self.limited + #""trusted_proxies": \#(proxies), "#)
        let statuses = [
            try await service.handOver("{}", forwardedFor: first).status,
            try await service.handOver("{}", forwardedFor: second).status,
        ]
        await service.running.stop()
        return statuses
    }

    @Test("The last forwarded address that is no trusted proxy counts")
    func chain() async throws {
        let proxies = #"["127.0.0.1", "10.0.0.0/8", "2001:db8:1::/48"]"#
        let one = try await statuses(
            proxies,
            ["192.0.2.1, 10.1.2.3"],
            ["198.51.100.7, 192.0.2.1, 2001:db8:1::9, 10.9.9.9"]
        )
        #expect(one == [400, 429])
        #expect(try await statuses(proxies, ["192.0.2.1, 10.1.2.3"], ["192.0.2.2, 10.1.2.3"]) == [400, 400])
    }

    @Test("A forwarded address or request id from an untrusted sender is ignored")
    func stranger() async throws {
        #expect(try await statuses(#"["10.0.0.0/8"]"#, ["192.0.2.1"], ["192.0.2.2"]) == [400, 429])
        let service = try await ServiceFixture(#""trusted_proxies": ["10.0.0.0/8"], "#)
        let (_, _, fields) = try await service.get("/health", [("x-request-id", "chosen")])
        #expect(fields.first(name: "x-request-id") != "chosen")
        await service.running.stop()
        let trusting = try await ServiceFixture(#""trusted_proxies": ["127.0.0.1/32"], "#)
        let (_, _, own) = try await trusting.get("/health", [("x-request-id", "chosen")])
        #expect(own.first(name: "x-request-id") == "chosen")
        await trusting.running.stop()
    }

    @Test(
        "An address range contains exactly the addresses with its prefix",
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
            ("192.0.2.128/25", "192.0.2.129", true),
            ("192.0.2.128/25", "192.0.2.127", false), ("0.0.0.0/0", "203.0.113.1", true),
            ("192.0.2.1", "192.0.2.1", true),
            ("192.0.2.1", "192.0.2.2", false), ("2001:db8::/33", "2001:db8:7fff::1", true),
            ("2001:db8::/33", "2001:db8:8000::1", false), ("10.0.0.0/8", "::ffff:10.0.0.1", true),
            ("::/0", "10.0.0.1", false),
        ]
    )
    func ranges(_ range: String, _ address: String, _ isIn: Bool) throws {
        let range = try #require(AddressRange(range))
        #expect(range.contains(try SocketAddress(ipAddress: address, port: 1)) == isIn)
    }

    @Test(
        "A malformed address range is refused",
        arguments: ["", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "example.com", "10.0.0.0/8/8", "::/129", "10.0.0/8"]
    )
    func noRange(text: String) {
        #expect(AddressRange(text) == nil)
        #expect(throws: BackendConfigurationError.self) {
            try ServiceFixture.configuration(#""trusted_proxies": ["\#(text)"], "#)
        }
    }

    @Test("Client certificates in a header field are refused until the trusted proxies are named")
    func certificates() throws {
        let open = #""listen": {"address": "0.0.0.0", "port": 0}, "client_certificates": {"form": "structured"}, "#
        func configuration(_ more: String) throws -> BackendConfiguration {
            let file = try TemporaryFile("backend.json")
            let text = ServiceFixture.text(open + more).replacing(#""listen": {"port": 0}, "#, with: "")
            try text.write(toFile: file.path, atomically: true, encoding: .utf8)
            return try BackendConfiguration(contentsOf: file.path, environment: ["KEY": BackendConfigurationTests.key])
        }
        #expect(throws: BackendConfigurationError.self) { try configuration("") }
        #expect(try configuration(#""trusted_proxies": ["10.0.0.0/8"], "#).trustedProxies?.count == 1)
    }

    @Test("A service configured without a proxy warns about it, and one with client_address does not")
    func warnings() throws {
        #expect(try ServiceFixture.configuration().warnings.count == 1)
        #expect(try ServiceFixture.configuration(#""client_address": "forwarded", "#).warnings == [])
    }
}
