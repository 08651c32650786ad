#if os(Linux)
    import Foundation
    import Testing

    @testable import Ostiary

    @Suite("The user at the other end of a loopback connection", .timeLimit(.minutes(5)))
    struct LoopbackPeerTests {
        private static let head =
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode"

        /// A connection from port 40000 to a listener at port 8400, as a little-endian machine lists it.
        private func peer(_ address: [UInt8] = [127, 0, 0, 1]) -> LoopbackPeer {
            LoopbackPeer(far: (address, 40_000), near: (address, 8400))
        }

        private func line(_ local: String, _ remote: String, _ state: String = "01", user: Int) -> String {
            "   1: \(local) \(remote) \(state) 00000000:00000000 00:00000000 00000000  \(user)        0 31337 1 0"
        }

        private let near = "0100007F:20D0"
        private let far = "0100007F:9C40"

        @Test("A peer's own line in the connection table names its user")
        func user() {
            let table = [Self.head, line(near, far, user: 1000), line(far, near, user: 1001)]
            #expect(peer().owner(in: [table]) == .user(1001))
        }

        @Test("Lines of other connections, and truncated ones, name no user")
        func otherLines() {
            let table = [
                Self.head, "", "   1: \(far) \(near) 01", line("0100007F:9C41", near, user: 5),
                line(far, "0100007F:20D1", user: 6), line("0200007F:9C40", near, user: 7),
            ]
            #expect(peer().owner(in: [table]) == .unknown)
        }

        @Test("An IPv4 connection of an IPv6 socket is found in the IPv6 table")
        func mapped() {
            let mapped = "0000000000000000FFFF0000"
            let six = [Self.head, line("\(mapped)\(far)", "\(mapped)\(near)", user: 1001)]
            #expect(peer().owner(in: [[Self.head, line(near, far, user: 1000)], six]) == .user(1001))
        }

        @Test("An IPv6 peer is found by its address and port")
        func sixth() {
            let one = [UInt8](repeating: 0, count: 15) + [1]
            let words = "00000000000000000000000001000000"
            let table = [Self.head, line("\(words):9C40", "\(words):20D0", user: 1001)]
            #expect(peer(one).owner(in: [[], table]) == .user(1001))
        }

        @Test(
            "A closed connection's peer is gone, and not reported as user 0",
            arguments: ["04", "05", "06", "08", "0B"]
        )
        func hungUp(state: String) {
            let table = [Self.head, line(near, far, user: 1000), line(far, near, state, user: 0)]
            #expect(peer().owner(in: [table]) == .gone)
        }

        @Test("An unlisted peer is gone when the near end is listed, and unknown otherwise")
        func unlisted() {
            #expect(peer().owner(in: [[Self.head, line(near, far, user: 1000)]]) == .gone)
            #expect(peer().owner(in: [[Self.head], []]) == .unknown)
        }

        @Test("A visit by another user's process is rejected, and the attempt continues")
        func foreignRedirect() async throws {
            var limits = LoopbackLimits.unhurried
            // This test's own connections are another user's then.
            limits.users = [geteuid() + 1]
            let attempt = try await OpenAttempt(limits: limits)
            let reply = try await attempt.get("/callback?code=1")
            #expect(reply.hasPrefix("HTTP/1.1 403 ") && reply.contains("this browser runs as another user"))
            #expect(try await attempt.get("/callback?code=2").hasPrefix("HTTP/1.1 403 "))
            attempt.cancel()
            #expect(await attempt.error == SignInError(.authorization, .cancelled))
        }

        @Test("A visit by this process's user is accepted", arguments: ["127.0.0.1", "localhost"])
        func ownRedirect(host: String) async throws {
            var limits = LoopbackLimits.unhurried
            limits.users = [geteuid()]
            let attempt = try await OpenAttempt("http://\(host)/callback", limits: limits)
            let head = "GET /callback?code=1 HTTP/1.1\r\nHost: \(host):\(attempt.port)"
            let address = host == "localhost" && RawConnection.hasIPv6 ? "::1" : "127.0.0.1"
            #expect(try await attempt.send(head, host: address).hasPrefix("HTTP/1.1 303 "))
            #expect(try await attempt.answer.query() == "code=1")
        }

        @Test("A program that hangs up before its response does not complete the attempt")
        func hangingUp() async throws {
            var limits = LoopbackLimits.unhurried
            limits.users = [geteuid()]
            let attempt = try await OpenAttempt(limits: limits)
            let first = try RawConnection(port: attempt.port)
            first.send("GET /callback?code=1 HTTP/1.1\r\nHost: 127.0.0.1:\(attempt.port)\r\n\r\n", ending: true)
            #expect(await first.response().hasPrefix("HTTP/1.1 403 "))
            #expect(try await attempt.get("/callback?code=2").hasPrefix("HTTP/1.1 303 "))
            #expect(try await attempt.answer.query() == "code=2")
        }
    }
#endif
