#if canImport(FoundationNetworking)
    import Foundation
    import OstiaryOAuth
    import Testing

    @testable import Ostiary

    @Suite("Failures by libcurl's sentences")
    struct CurlFailureTests {
        private func failure(
            _ sentence: String,
            hasSentBody: Bool = false,
            hasHead: Bool = false
        ) -> TransportFailure {
            let error = NSError(
                domain: NSURLErrorDomain,
                code: NSURLErrorUnknown,
                userInfo: [NSLocalizedDescriptionKey: sentence]
            )
            return TransportFailure(error, isSecure: true, hasSentBody: hasSentBody, hasHead: hasHead)
        }

        @Test(
            "A failed handshake or certificate fails as tls, and the request was not sent",
            arguments: [
                "SSL connect error",
                "SSL peer certificate or SSH remote key was not OK",
                "Problem with the SSL CA cert (path? access rights?)",
                "SSL certificate problem: self-signed certificate",
                "SSL: no alternative certificate subject name matches target host name 'id.example.com'",
                "OpenSSL SSL_connect: Connection reset by peer in connection to id.example.com:443",
                "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to id.example.com:443 ",
                "error:0A00010B:SSL routines::wrong version number",
                "TLS connect error: error:0A000126:SSL routines::unexpected eof while reading",
                "gnutls_handshake() failed: Error in the pull function.",
                "server certificate verification failed. CAfile: none CRLfile: none",
            ]
        )
        func handshake(_ sentence: String) {
            #expect(failure(sentence) == .tls)
        }

        @Test(
            "A connection that broke after the handshake fails as interrupted",
            arguments: [
                "OpenSSL SSL_read: Connection reset by peer, errno 104",
                "OpenSSL SSL_read: error:0A000126:SSL routines::unexpected eof while reading, errno 0",
                "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0",
                "OpenSSL SSL_read: error:0A000410:SSL routines::sslv3 alert handshake failure, errno 0",
                "OpenSSL SSL_write: Broken pipe, errno 32",
                "SSL_write() error: error:0A00010F:SSL routines::bad length",
                "GnuTLS recv error (-110): The TLS connection was non-properly terminated.",
                "Recv failure: Connection reset by peer",
                "Send failure: Broken pipe",
                "HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)",
                "Server returned nothing (no headers, no data)",
                "Failed to shut down the SSL connection",
            ]
        )
        func afterHandshake(_ sentence: String) {
            #expect(failure(sentence) == .interrupted)
        }

        @Test("A handshake error after a part of the body was sent fails as interrupted")
        func afterBody() {
            #expect(failure("SSL connect error", hasSentBody: true) == .interrupted)
            // Apple's sessions report this code for a connection that breaks later as well.
            let error = URLError(.secureConnectionFailed)
            #expect(TransportFailure(error, isSecure: true, hasSentBody: false, hasHead: false) == .tls)
            #expect(TransportFailure(error, isSecure: true, hasSentBody: true, hasHead: false) == .interrupted)
            #expect(TransportFailure(error, isSecure: true, hasSentBody: false, hasHead: true) == .interrupted)
        }

        @Test("After the head of a response every failure is an interruption")
        func afterHead() {
            #expect(failure("SSL connect error", hasHead: true) == .interrupted)
        }
    }
#endif
