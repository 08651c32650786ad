import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import NIOSSL
import OstiaryOAuth
import Synchronization
import Testing

@testable import OstiaryAsyncHTTPClient

@Suite("TLS rules of the transport on AsyncHTTPClient")
struct TLSRulesTests {
    @Test("A certificate with an alternative name, a strong key and a strong signature is accepted")
    func good() throws {
        #expect(CertificateFault(try Certificates.parsed(Certificates.good)) == nil)
        #expect(CertificateFault(try Certificates.parsed(Certificates.goodEC)) == nil)
    }

    @Test("A certificate with only a common name is rejected")
    func commonName() throws {
        #expect(CertificateFault(try Certificates.parsed(Certificates.noName)) == .noAlternativeName)
    }

    @Test("A certificate signed with SHA-1 is rejected", arguments: [Certificates.sha1, Certificates.ecSHA1])
    func signature(_ pem: String) throws {
        #expect(CertificateFault(try Certificates.parsed(pem)) == .weakSignature)
    }

    @Test("A certificate with an RSA key of 1,024 bits is rejected")
    func key() throws {
        #expect(CertificateFault(try Certificates.parsed(Certificates.rsa1024)) == .weakKey)
    }

    /// The response of a server on this machine to a client that trusts its certificate.
    private func result(
        _ certificate: String,
        _ key: String,
        changing change: (inout TLSConfiguration) -> Void = { _ in },
        client changeClient: @escaping (inout TLSConfiguration) -> Void = { _ in }
    ) async throws -> (Result<Int, TransportFailure>, bytes: Int) {
        let server = try await TLSServer(certificate, key, changing: change)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([try Certificates.parsed(certificate)])
        changeClient(&tls)
        let configuration = tls
        let transport = AsyncHTTPClientTransport { $0.tlsConfiguration = configuration }
        let url = try #require(URL(string: "https://localhost:\(server.port)/"))
        let result: Result<Int, TransportFailure>
        do throws(TransportFailure) {
            result = .success(try await transport.send(EndpointRequest(url: url)).status.code)
        } catch {
            result = .failure(error)
        }
        let bytes = server.bytes
        await server.stop()
        return (result, bytes)
    }

    @Test("A server with a valid certificate and TLS 1.2 or 1.3 is accepted", arguments: [TLSVersion.tlsv12, .tlsv13])
    func spokenTo(_ version: TLSVersion) async throws {
        let (result, _) = try await result(Certificates.good, Certificates.goodKey) { $0.maximumTLSVersion = version }
        #expect(result == .success(204))
    }

    @Test("A server whose trusted certificate lacks an alternative name gets no request, and fails as tls")
    func untold() async throws {
        let (result, bytes) = try await result(Certificates.noName, Certificates.noNameKey)
        #expect(result == .failure(.tls) && bytes == 0)
    }

    @Test("A server with TLS 1.1 or older fails as tls, whatever the configuration allows")
    func oldTLS() async throws {
        for version in [TLSVersion.tlsv1, .tlsv11] {
            let (result, bytes) = try await result(
                Certificates.good,
                Certificates.goodKey,
                changing: { server in
                    server.minimumTLSVersion = .tlsv1
                    server.maximumTLSVersion = version
                },
                client: { $0.minimumTLSVersion = .tlsv1 }
            )
            #expect(result == .failure(.tls) && bytes == 0)
        }
    }
}

/// Answers 204 to whatever comes over TLS, and counts it.
private final class TLSServer: Sendable {
    private let channel: any Channel
    private let count = Counter()
    var port: Int { channel.localAddress?.port ?? 0 }
    var bytes: Int { count.value.withLock { $0 } }

    final class Counter: Sendable {
        let value = Mutex(0)
    }

    init(_ certificate: String, _ key: String, changing change: (inout TLSConfiguration) -> Void) async throws {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try Certificates.parsed(certificate))],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem))
        )
        change(&tls)
        let context = try NIOSSLContext(configuration: tls)
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { [count] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    try channel.pipeline.syncOperations.addHandler(Answerer(count))
                }
            }
            .bind(host: "localhost", port: 0).get()
    }

    func stop() async { try? await channel.close() }

    private final class Answerer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let count: Counter
        init(_ count: Counter) { self.count = count }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            count.value.withLock { $0 += bytes.readableBytes }
            let response = ByteBuffer(string: "HTTP/1.1 204 No Content\r\n\r\n")
            context.writeAndFlush(wrapOutboundOut(response), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
