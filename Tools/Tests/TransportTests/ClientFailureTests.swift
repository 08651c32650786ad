import AsyncHTTPClient
import NIOCore
import NIOHTTP2
import NIOSSL
import OstiaryOAuth
import Testing

@testable import OstiaryAsyncHTTPClient

@Suite("Failures by the client's errors")
struct ClientFailureTests {
    @Test(
        "A failed handshake or certificate fails as tls with AsyncHTTPClient",
        arguments: [
            NIOSSLError.handshakeFailed(.sslError([])), NIOSSLError.handshakeFailed(.syscallError),
            NIOSSLError.unableToValidateCertificate, NIOSSLError.noCertificateToValidate,
            NIOSSLError.failedToLoadCertificate, NIOSSLExtraError.failedToValidateHostname,
            NIOSSLExtraError.serverHostnameImpossibleToMatch, NIOSSLExtraError.invalidSNIHostname,
            BoringSSLError.invalidSNIName([]), HTTPClientError.tlsHandshakeTimeout,
        ] as [any Error]
    )
    func handshake(_ error: any Error) {
        #expect(TransportFailure(error, hasHead: false) == .tls)
    }

    @Test(
        "A connection that breaks after the handshake fails as interrupted with AsyncHTTPClient",
        arguments: [
            NIOHTTP2Errors.streamClosed(streamID: 1, errorCode: .internalError),
            NIOHTTP2Errors.streamClosed(streamID: 1, errorCode: .refusedStream),
            NIOHTTP2Errors.unableToParseFrame(), NIOSSLError.uncleanShutdown, NIOSSLError.writeDuringTLSShutdown,
            NIOSSLError.readInInvalidTLSState, NIOSSLError.shutdownFailed(.syscallError),
            BoringSSLError.sslError([]), BoringSSLError.syscallError, BoringSSLError.zeroReturn,
            HTTPClientError.remoteConnectionClosed, ChannelError.ioOnClosedChannel,
            IOError(errnoCode: 104, reason: "read"), IOError(errnoCode: 32, reason: "write"), Unheard(),
        ] as [any Error]
    )
    func afterHandshake(_ error: any Error) {
        #expect(TransportFailure(error, hasHead: false) == .interrupted)
    }

    @Test(
        "A connection that was not established in time fails as unreachable, and nothing was sent",
        arguments: [
            IOError(errnoCode: 111, reason: "connect"), HTTPClientError.connectTimeout,
            HTTPClientError.getConnectionFromPoolTimeout, ChannelError.connectTimeout(.seconds(10)),
        ] as [any Error]
    )
    func unreachable(_ error: any Error) {
        #expect(TransportFailure(error, hasHead: false) == .unreachable)
    }

    @Test("After the head of a response AsyncHTTPClient's errors are interruptions")
    func afterHead() {
        let errors: [any Error] = [
            NIOSSLError.handshakeFailed(.syscallError), NIOSSLExtraError.failedToValidateHostname,
            BoringSSLError.invalidSNIName([]), IOError(errnoCode: 111, reason: "connect"),
            ChannelError.connectTimeout(.seconds(10)),
        ]
        for error in errors { #expect(TransportFailure(error, hasHead: true) == .interrupted) }
    }

    private struct Unheard: Error {}
}
