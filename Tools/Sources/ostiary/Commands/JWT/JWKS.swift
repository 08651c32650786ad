import ArgumentParser
import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary jwks`: the keys that an issuer signs with.
struct JWKS: ExplainingCommand {
    static let configuration = CommandConfiguration(
        commandName: "jwks",
        abstract: "Show the keys that an issuer publishes.",
        discussion: """
            Rejects keys with their private half, symmetric and weak keys, and those of an
            unknown type. Marks repeated keys.

            EXAMPLES
              ostiary jwks --issuer https://id.example.com
            """
    )

    @Option(help: ArgumentHelp("The issuer's URL, exactly as the provider writes it.", valueName: "url"))
    var issuer: String?

    @OptionGroup var explanation: ExplanationOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        guard let named = issuer ?? CommandSettings.current.issuer else {
            throw UsageError("Which issuer? Pass --issuer URL.")
        }
        let issuer = try Issuer(named)
        let found = try await IssuerKeys(of: issuer, in: ExchangeContext(events: { trace.record($0) }))
        return Answer(found.keys, of: issuer, at: found.server.jwksURI?.absoluteString ?? "")
    }
}

extension Answer {
    fileprivate init(_ set: JSONWebKeySet, of issuer: Issuer, at url: String) {
        let keys = set.keys.map { key in ListedKey(key, among: set.keys) }
        members = [
            "issuer": .string(issuer.description),
            "jwksURI": .string(url),
            "keys": .array(keys.map { .object($0.object) }),
            "refused": .array(set.ignoredKeys.map { .object($0.object) }),
        ]
        text = "\(issuer.description.printable)\n\(url.printable)\n\n" + Self.table(keys)
        guard !set.ignoredKeys.isEmpty else { return }
        var table = ClaimsTable()
        for key in set.ignoredKeys { table.add("key \(key.index + 1)", "\(key.keyID ?? "without kid"): \(key.words)") }
        text += "\nRefused\n" + table.text
    }

    private static func table(_ keys: [ListedKey]) -> String {
        let head = ["kid", "kty", "alg", "use", "size", "thumbprint", ""]
        let rows = [head] + keys.map { $0.cells.map(\.printable) }
        let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = "  " + zip(row, widths).map { $0.padded(to: $1) }.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }
}

/// A usable key, as it is listed.
private struct ListedKey {
    let key: JSONWebKey
    let thumbprint: String
    /// The doubts about the key.
    let marks: [String]

    init(_ key: JSONWebKey, among keys: [JSONWebKey]) {
        self.key = key
        thumbprint = key.thumbprint()
        var marks: [String] = []
        if keys.count(where: { $0.thumbprint() == key.thumbprint() }) > 1 { marks.append("there twice") }
        if let keyID = key.keyID, keys.count(where: { $0.isNamed(keyID) }) > 1 { marks.append("kid is not its own") }
        if key.keyID == nil, keys.count > 1 { marks.append("without kid") }
        self.marks = marks
    }

    var cells: [String] {
        [
            key.keyID ?? "-", key.keyType.rawValue, key.algorithm?.rawValue ?? "-", key.use ?? "-", key.sizeOrCurve,
            thumbprint, marks.joined(separator: ", "),
        ]
    }

    var object: JSONObject {
        [
            "kid": key.keyID.map { .string($0) } ?? .null,
            "kty": .string(key.keyType.rawValue),
            "alg": key.algorithm.map { .string($0.rawValue) } ?? .null,
            "use": key.use.map { .string($0) } ?? .null,
            "size": key.curve == nil ? .integer(key.modulusBits) : .null,
            "crv": key.curve.map { .string($0.rawValue) } ?? .null,
            "thumbprint": .string(thumbprint),
            "marks": .array(marks.map { .string($0) }),
        ]
    }
}

extension JSONWebKey {
    fileprivate var sizeOrCurve: String { curve?.rawValue ?? "\(modulusBits) bits" }

    /// The length of an RSA key.
    fileprivate var modulusBits: Int {
        guard let modulus = jsonObject["n"]?.string.flatMap({ try? Base64URL.decode($0) }), let first = modulus.first
        else { return 0 }
        return 8 * modulus.count - first.leadingZeroBitCount
    }

    fileprivate func isNamed(_ keyID: String) -> Bool {
        self.keyID.map { JSONValue.string($0) == .string(keyID) } ?? false
    }
}

extension IgnoredKey {
    fileprivate var object: JSONObject {
        [
            "index": .integer(index),
            "kid": keyID.map { .string($0) } ?? .null,
            "reason": .string("\(reason)"),
        ]
    }

    fileprivate var words: String {
        switch reason {
        case .symmetric: "a shared secret, which is now public"
        case .privateMembers: "has its private half: any reader can sign with it"
        case .weak: "too weak"
        case .unsupportedKey: "of a kind that is not supported"
        case .unsupportedAlgorithm: "for an algorithm that is not supported"
        case .notForVerification: "not for checking signatures"
        case .malformed: "not what its type requires"
        }
    }
}
