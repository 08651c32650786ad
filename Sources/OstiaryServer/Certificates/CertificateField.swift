public import HTTPTypes
import OstiaryJOSE

/// A header field in which a proxy that terminates TLS forwards the client's certificate.
///
/// Use one only behind a proxy that removes the field from clients' requests, and on a port that only the proxy can
/// reach: any sender of the field could impersonate the client.
public struct CertificateField: Sendable, Hashable {
    /// The encoding of the certificate.
    public enum Form: String, Sendable, Hashable, CaseIterable {
        /// DER in base64 between colons: RFC 9440.
        case structured
        /// PEM with percent escapes: `$ssl_client_escaped_cert` of nginx.
        case escapedPEM
    }

    /// The field.
    public let name: HTTPField.Name
    /// The encoding of the certificate.
    public let form: Form

    /// The longest field value that is read, in bytes.
    static let maximumBytes = 32_768

    /// Names a field.
    public init(_ name: HTTPField.Name, form: Form) {
        self.name = name
        self.form = form
    }

    /// `Client-Cert` (RFC 9440 section 2.2).
    public static let clientCert = CertificateField(.clientCert, form: .structured)

    /// The certificate in a request's fields; `nil` without one, and for one that cannot be read.
    public func certificate(in fields: HTTPFields) -> ClientCertificate? {
        let values = fields[values: name]
        guard values.count == 1, values[0].utf8.count <= Self.maximumBytes else { return nil }
        let text = Array(values[0].utf8)
        switch form {
        case .structured:
            return Self.byteSequence(text).flatMap(ClientCertificate.init(der:))
        case .escapedPEM:
            return Self.unescaped(text).flatMap(Self.der).flatMap(ClientCertificate.init(der:))
        }
    }

    /// The bytes of an item that is a byte sequence without parameters (RFC 9651 sections 3.3.5 and 4.2.7, `sf-binary`).
    ///
    /// Padding is required, and its bits have to be zero, so that a value has one form.
    package static func byteSequence(_ text: [UInt8]) -> [UInt8]? {
        guard text.count > 1, text.first == UInt8(ascii: ":"), text.last == UInt8(ascii: ":") else { return nil }
        return Base64.decode(text.dropFirst().dropLast())
    }

    private static func unescaped(_ text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexadecimal), let low = rest.popFirst().flatMap(hexadecimal) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// The bytes of the single certificate of a PEM text.
    private static func der(_ pem: [UInt8]) -> [UInt8]? {
        let begin = Array("-----BEGIN CERTIFICATE-----".utf8)
        let end = Array("-----END CERTIFICATE-----".utf8)
        var text = pem.filter { $0 != 0x0A && $0 != 0x0D }[...]
        guard text.starts(with: begin) else { return nil }
        text = text.dropFirst(begin.count)
        guard text.count > end.count, text.suffix(end.count).elementsEqual(end) else { return nil }
        return Base64.decode(text.dropLast(end.count))
    }
}

extension HTTPField.Name {
    // The literal is a token, so there is a name for it.
    // swift-format-ignore: NeverForceUnwrap
    /// `Client-Cert`: the client's certificate, from a proxy (RFC 9440 section 2.2).
    public static let clientCert = HTTPField.Name("Client-Cert")!
}

/// Base64 with padding, as PEM and structured fields use it. (RFC 4648 section 4)
enum Base64 {
    /// The decoded bytes; `nil` for text that is not padded base64.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
        var url: [UInt8] = []
        url.reserveCapacity(text.count)
        for byte in text.dropLast(padding) {
            switch byte {
            case UInt8(ascii: "+"): url.append(UInt8(ascii: "-"))
            case UInt8(ascii: "/"): url.append(UInt8(ascii: "_"))
            // Characters of the base64url alphabet.
            case UInt8(ascii: "-"), UInt8(ascii: "_"): return nil
            default: url.append(byte)
            }
        }
        return try? Base64URL.decode(url)
    }
}
