import OstiaryJOSE
import OstiaryOAuth

/// CBOR as an authenticator writes it.
struct CBOR {
    let encoded: [UInt8]

    static func integer(_ value: Int) -> CBOR {
        CBOR(encoded: value < 0 ? head(1, -1 - value) : head(0, value))
    }
    static func bytes(_ bytes: [UInt8]) -> CBOR { CBOR(encoded: head(2, bytes.count) + bytes) }
    static func text(_ text: String) -> CBOR { CBOR(encoded: head(3, text.utf8.count) + Array(text.utf8)) }
    static func array(_ elements: [CBOR]) -> CBOR {
        CBOR(encoded: head(4, elements.count) + elements.flatMap(\.encoded))
    }
    static func map(_ members: [(CBOR, CBOR)]) -> CBOR {
        CBOR(encoded: head(5, members.count) + members.flatMap { $0.0.encoded + $0.1.encoded })
    }
    static func raw(_ bytes: [UInt8]) -> CBOR { CBOR(encoded: bytes) }

    private static func head(_ type: UInt8, _ value: Int) -> [UInt8] {
        switch value {
        case 0..<24: [type << 5 | UInt8(value)]
        case 24..<256: [type << 5 | 24, UInt8(value)]
        default: [type << 5 | 25, UInt8(value >> 8), UInt8(value & 0xFF)]
        }
    }
}

/// An authenticator with one passkey, and the browser around it; a test changes any part of what they write.
struct SoftAuthenticator {
    static let hash = HashAlgorithm.sha256

    var key: SigningKey
    var id: [UInt8] = Array(1...32)
    var relyingPartyID = "localhost"
    var origin = "http://localhost:8080"
    /// UP and UV.
    var flags: UInt8 = 0x05
    var counter: UInt32 = 0
    var userHandle: String?

    init(_ algorithm: SignatureAlgorithm = .es256) throws { key = try SigningKey.generate(algorithm) }

    /// The members of the public key as COSE has them.
    var publicKey: [(CBOR, CBOR)] {
        let object = key.publicKey.jsonObject
        func bytes(_ name: String) -> CBOR {
            .bytes((try? Base64URL.decode(object[name]?.string ?? "")) ?? [])
        }
        return switch key.algorithm {
        case .rs256:
            [
                (.integer(1), .integer(3)), (.integer(3), .integer(-257)), (.integer(-1), bytes("n")),
                (.integer(-2), bytes("e")),
            ]
        case .edDSA:
            [
                (.integer(1), .integer(1)), (.integer(3), .integer(-8)), (.integer(-1), .integer(6)),
                (.integer(-2), bytes("x")),
            ]
        default:
            [
                (.integer(1), .integer(2)), (.integer(3), .integer(-7)), (.integer(-1), .integer(1)),
                (.integer(-2), bytes("x")), (.integer(-3), bytes("y")),
            ]
        }
    }

    /// Authenticator data, with the passkey where the flags say so.
    func data(flags: UInt8, publicKey: CBOR? = nil, rest: [UInt8] = []) -> [UInt8] {
        var bytes = Self.hash.hash(Array(relyingPartyID.utf8)) + [flags]
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: counter >> UInt32(shift))) }
        if flags & 0x40 != 0 {
            bytes += [UInt8](repeating: 7, count: 16) + [UInt8(id.count >> 8), UInt8(id.count & 0xFF)] + id
            bytes += (publicKey ?? .map(self.publicKey)).encoded
        }
        return bytes + rest
    }

    func clientData(_ type: String, _ challenge: String, _ change: (inout JSONObject) -> Void = { _ in }) -> [UInt8] {
        var object: JSONObject = [
            "type": .string(type), "challenge": .string(challenge), "origin": .string(origin), "crossOrigin": false,
        ]
        change(&object)
        return object.encoded()
    }

    /// The response of a registration.
    func registration(
        _ challenge: String,
        clientData: [UInt8]? = nil,
        authenticatorData: [UInt8]? = nil,
        attestation: CBOR? = nil,
        change: (inout JSONObject) -> Void = { _ in }
    ) -> String {
        let data = authenticatorData ?? self.data(flags: flags | 0x40)
        let object =
            attestation
            ?? .map([(.text("fmt"), .text("none")), (.text("attStmt"), .map([])), (.text("authData"), .bytes(data))])
        return response(
            [
                "clientDataJSON": text(clientData ?? self.clientData("webauthn.create", challenge)),
                "attestationObject": text(object.encoded), "transports": ["internal"],
            ],
            change
        )
    }

    /// The response of an authentication.
    func assertion(
        _ challenge: String,
        clientData: [UInt8]? = nil,
        authenticatorData: [UInt8]? = nil,
        signature: [UInt8]? = nil,
        change: (inout JSONObject) -> Void = { _ in }
    ) throws -> String {
        let client = clientData ?? self.clientData("webauthn.get", challenge)
        let data = authenticatorData ?? self.data(flags: flags)
        let made = try signature ?? self.signature(for: data + Self.hash.hash(client))
        var response: JSONObject = [
            "clientDataJSON": text(client), "authenticatorData": text(data), "signature": text(made),
        ]
        response["userHandle"] = userHandle.map { .string($0) }
        return self.response(response, change)
    }

    /// The signature, for ES256 in DER.
    func signature(for bytes: [UInt8]) throws -> [UInt8] {
        let raw = try key.signature(for: bytes)
        guard key.algorithm == .es256 else { return raw }
        func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            let short = Array(bytes.drop { $0 == 0 })
            let signed = short.first.map { $0 >= 0x80 } ?? true ? [0] + short : short
            return [2, UInt8(signed.count)] + signed
        }
        let numbers = integer(raw.prefix(32)) + integer(raw.suffix(32))
        return [0x30, UInt8(numbers.count)] + numbers
    }

    private func response(_ response: JSONObject, _ change: (inout JSONObject) -> Void) -> String {
        var object: JSONObject = [
            "id": text(id), "rawId": text(id), "type": "public-key", "response": .object(response),
            "authenticatorAttachment": "platform", "clientExtensionResults": [:],
        ]
        change(&object)
        return String(decoding: object.encoded(), as: UTF8.self)
    }

    private func text(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }
}
