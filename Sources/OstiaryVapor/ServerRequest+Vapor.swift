#if Vapor
    import HTTPTypes
    import NIOCore
    import NIOHTTP1
    public import OstiaryServer
    public import Vapor

    extension ServerRequest {
        /// A request without its body.
        init(_ request: Request, sender: String? = nil) {
            self.init(
                // No endpoint answers CONNECT, and so none an invalid method.
                method: HTTPRequest.Method(rawValue: request.method.rawValue) ?? .connect,
                target: request.url.string,
                fields: HTTPFields(of: request.headers),
                certificate: request.clientCertificate,
                sender: sender
            )
        }
    }

    extension HTTPFields {
        /// Each field in its order; two of one name stay two.
        init(of headers: HTTPHeaders) {
            self.init()
            reserveCapacity(headers.count)
            for (name, value) in headers {
                guard let name = HTTPField.Name(name) else { continue }
                append(HTTPField(name: name, value: value))
            }
        }
    }

    extension HTTPHeaders {
        /// Each field in its order.
        init(of fields: HTTPFields) {
            self.init()
            reserveCapacity(fields.count)
            for field in fields { add(name: field.name.rawName, value: field.value) }
        }
    }

    extension Response {
        /// A response of the backend kit.
        convenience init(_ response: ServerResponse) {
            var fields = response.fields
            // Vapor writes this field itself, and decides by the request's whether the connection ends.
            fields[.connection] = nil
            self.init(
                status: HTTPResponseStatus(statusCode: response.status.code),
                headers: HTTPHeaders(of: fields),
                body: response.body.isEmpty ? .empty : Body(buffer: ByteBuffer(bytes: response.body))
            )
        }
    }

    extension Request {
        /// The certificate that the sender's TLS connection has proven; `nil` without one.
        ///
        /// Vapor's own TLS configuration verifies certificates only by a callback of the app. A middleware before the
        /// guarded routes sets it, from `peerCertificateChain` for example. Behind a proxy see `CertificateField`.
        public var clientCertificate: ClientCertificate? {
            get { storage[ClientCertificateKey.self] }
            set { storage[ClientCertificateKey.self] = newValue }
        }
    }

    private struct ClientCertificateKey: StorageKey {
        typealias Value = ClientCertificate
    }
#endif
