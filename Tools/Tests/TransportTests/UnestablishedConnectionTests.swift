import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOCore
import OstiaryAsyncHTTPClient
import OstiaryOAuth
import OstiaryTesting
import Testing

#if canImport(Glibc)
    import Glibc

    @Suite("Connections that do not come about", .timeLimit(.minutes(5)))
    struct UnestablishedConnectionTests {
        private func request(_ port: Int) -> EndpointRequest {
            EndpointRequest(
                url: URL(string: "http://127.0.0.1:\(port)/token") ?? URL(filePath: "/"),
                method: .post,
                content: .init(mediaType: "text/plain", bytes: [1]),
                limits: .init(maximumBodyBytes: 1024, deadline: .seconds(20))
            )
        }

        private func failure(_ request: EndpointRequest, by transport: AsyncHTTPClientTransport) async
            -> TransportFailure?
        {
            do throws(TransportFailure) {
                _ = try await transport.send(request)
                return nil
            } catch {
                return error
            }
        }

        @Test("A host that drops packets is unreachable")
        func dropped() async throws {
            let silent = try SilentHost()
            let transport = AsyncHTTPClientTransport { $0.timeout.connect = .milliseconds(300) }
            #expect(await failure(request(silent.port), by: transport) == .unreachable)
        }

        @Test("A request without a free connection in time is unreachable, and was not sent")
        func queued() async throws {
            let server = try LoopbackServer { _ in [.silence] }
            let transport = AsyncHTTPClientTransport(connectionsPerHost: 1) { $0.timeout.connect = .milliseconds(300) }
            let first = Task { await failure(request(server.port), by: transport) }
            while server.requests.isEmpty { await Task.yield() }
            #expect(await failure(request(server.port), by: transport) == .unreachable)
            #expect(server.requests.count == 1)
            first.cancel()
            _ = await first.value
            server.stop()
        }
    }

    /// A port of this machine that answers no attempt to connect, as behind a firewall that drops packets: its queue of
    /// connections is full.
    private final class SilentHost {
        let port: Int
        private var sockets: [Int32] = []

        init() throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            sockets.append(listener)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let bound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(listener, address, length) == 0 && listen(listener, 0) == 0
                        && getsockname(listener, address, &length) == 0
                }
            }
            guard bound else { throw Unusable() }
            port = Int(UInt16(bigEndian: address.sin_port))
            for _ in 0..<4 {
                let caller = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
                sockets.append(caller)
                withUnsafePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(caller, $0, length) }
                }
            }
        }

        deinit { for socket in sockets { close(socket) } }

        private struct Unusable: Error {}
    }
#endif
