import Crypto
import Foundation

/// Reads the part of CBOR that attestations are made of. (RFC 8949 section 3)
indirect enum ReadCBOR: Equatable {
    case number(UInt64), bytes(Data), text(String), array([ReadCBOR]), map([String: ReadCBOR])
    struct Malformed: Error {}

    static func map(_ data: Data) throws -> [String: ReadCBOR] {
        var rest = Array(data)[...]
        guard case .map(let map) = try item(&rest, depth: 0), rest.isEmpty else { throw Malformed() }
        return map
    }

    private static func item(_ rest: inout ArraySlice<UInt8>, depth: Int) throws -> ReadCBOR {
        guard depth < 8, let first = rest.popFirst() else { throw Malformed() }
        var argument = UInt64(first & 31)
        if argument >= 24 {
            guard argument <= 27 else { throw Malformed() }
            let size = 1 << (argument - 24)
            guard rest.count >= size else { throw Malformed() }
            argument = rest.prefix(size).reduce(0) { $0 << 8 | UInt64($1) }
            rest = rest.dropFirst(size)
        }
        guard argument <= 65_536 else { throw Malformed() }
        let count = Int(argument)
        switch first >> 5 {
        case 0, 1: return .number(argument)
        case 2, 3:
            guard rest.count >= count else { throw Malformed() }
            let bytes = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            return first >> 5 == 2 ? .bytes(Data(bytes)) : .text(String(decoding: bytes, as: UTF8.self))
        case 4: return .array(try (0..<count).map { _ in try item(&rest, depth: depth + 1) })
        case 5:
            var map: [String: ReadCBOR] = [:]
            for _ in 0..<count {
                guard case .text(let name) = try item(&rest, depth: depth + 1) else { throw Malformed() }
                map[name] = try item(&rest, depth: depth + 1)
            }
            return .map(map)
        default: throw Malformed()
        }
    }
}

/// Reads as much of a certificate as a chain of two needs. (RFC 5280 section 4.1)
struct ReadCertificate {
    private let body: Data
    private let signature: Data

    init(_ der: Data) throws {
        var whole = Array(der)[...]
        var parts = try Self.element(&whole).content
        let body = try Self.element(&parts)
        _ = try Self.element(&parts)
        self.body = body.whole
        signature = Data(try Self.element(&parts).content.dropFirst())
    }

    func isSigned(by key: P256.Signing.PublicKey) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
        return key.isValidSignature(signature, for: body)
    }

    /// The seventh part: version, number, algorithm, issuer, time, subject, key.
    func key() throws -> P256.Signing.PublicKey {
        var outer = Array(body)[...]
        var parts = try Self.element(&outer).content
        for _ in 0..<6 { _ = try Self.element(&parts) }
        return try P256.Signing.PublicKey(derRepresentation: try Self.element(&parts).whole)
    }

    private static func element(
        _ rest: inout ArraySlice<UInt8>
    ) throws -> (whole: Data, content: ArraySlice<UInt8>) {
        let start = rest
        guard rest.popFirst() != nil, let first = rest.popFirst() else { throw ReadCBOR.Malformed() }
        var count = Int(first)
        if first > 0x80 {
            let size = Int(first & 0x7F)
            guard size <= 2, rest.count >= size else { throw ReadCBOR.Malformed() }
            count = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(size)
        }
        guard rest.count >= count else { throw ReadCBOR.Malformed() }
        let content = rest.prefix(count)
        rest = rest.dropFirst(count)
        return (Data(start[..<rest.startIndex]), content)
    }
}
