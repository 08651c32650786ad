import Backend
import Testing

/// One request a minute of one sender: the second one tells whether it is the same sender.
@Suite("The client address of a forwarded request", .timeLimit(.minutes(5)))
struct ForwardedAddressTests {
    private static let limited = """
        "ssafy": {"client_id": "a", "redirect_uris": ["https://app.example.com/callback"],
                  "requests_per_minute_and_sender": 1},
        """

    /// The statuses of two requests.
    private func statuses(_ mode: String, _ first: [String], _ second: [String]) async throws -> [Int] {
        let service = try await ServiceFixture(Self.limited + "\"client_address\": \"\(mode)\", ")
        let statuses = [
            try await service.handOver("{}", forwardedFor: first).status,
            try await service.handOver("{}", forwardedFor: second).status,
        ]
        await service.running.stop()
        return statuses
    }

    @Test(
        "Behind a proxy the last forwarded address counts, of the last field",
        arguments: [
            (["192.0.2.1, 192.0.2.2"], ["203.0.113.9, 192.0.2.2"]), (["192.0.2.2"], ["192.0.2.2"]),
            (["192.0.2.1", "192.0.2.2"], ["203.0.113.9", "203.0.113.8,\t192.0.2.2 "]),
            (["2001:db8::1"], ["2001:db8:0:0:ffff::2"]), (["::ffff:192.0.2.2"], ["192.0.2.2"]),
        ]
    )
    func same(_ first: [String], _ second: [String]) async throws {
        #expect(try await statuses("forwarded", first, second) == [400, 429])
    }

    @Test(
        "Behind a proxy another last forwarded address is counted separately",
        arguments: [
            (["192.0.2.2, 192.0.2.1"], ["192.0.2.1, 192.0.2.2"]), (["192.0.2.2", "192.0.2.1"], ["192.0.2.2"]),
            (["2001:db8::1"], ["2001:db8:0:1::1"]),
        ]
    )
    func others(_ first: [String], _ second: [String]) async throws {
        #expect(try await statuses("forwarded", first, second) == [400, 400])
    }

    @Test(
        "A malformed forwarded address counts as the connection's own address",
        arguments: [
            (["one"], ["two"]), ([""], ["192.0.2.2,"]), (["192.0.2.1, unknown"], ["192.0.2.2, _hidden"]),
            (["999.1.1.1"], []), (["192.0.2.1:443"], [String(repeating: "a", count: 4096)]),
        ] as [([String], [String])]
    )
    func garbage(_ first: [String], _ second: [String]) async throws {
        #expect(try await statuses("forwarded", first, second) == [400, 429])
    }

    @Test("Without a proxy the forwarded field is ignored")
    func connection() async throws {
        #expect(try await statuses("connection", ["192.0.2.1"], ["192.0.2.2"]) == [400, 429])
    }
}
