public import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One challenge of a `WWW-Authenticate` field (RFC 9110 section 11.6.1).
public struct AuthenticateChallenge: Sendable, Hashable {
    /// The scheme in lower case, such as `bearer`; empty when the server left it out, as some do.
    public var scheme: String
    /// The parameters, names in lower case; of a repeated one the first.
    public var parameters: [String: String]

    /// The OAuth error in it (RFC 6750 section 3).
    public var error: OAuthError? {
        parameters["error"].map {
            OAuthError(
                code: .init(rawValue: $0),
                description: parameters["error_description"],
                uri: parameters["error_uri"]
            )
        }
    }

    /// The URL of the resource server's metadata (RFC 9728 section 5.1); `nil` when missing or not https.
    public var resourceMetadata: URL? {
        guard let text = parameters["resource_metadata"], let parts = URIParts(text), parts.isSecureOrLoopback,
            parts.fragment == nil
        else { return nil }
        return URL(string: text)
    }

    /// Returns every challenge in a response's fields; an unreadable one is left out.
    public static func list(in fields: HTTPFields) -> [AuthenticateChallenge] {
        fields[values: .wwwAuthenticate].prefix(8).flatMap { list(in: $0) }
    }

    /// Returns every challenge of one field value of at most 8 KiB.
    public static func list(in text: String) -> [AuthenticateChallenge] {
        guard text.utf8.count <= 8192 else { return [] }
        var scanner = Scanner(Array(text.utf8))
        return scanner.challenges()
    }
}

/// Reads tokens, `=` and quoted strings from left to right, each byte once.
private struct Scanner {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func challenges() -> [AuthenticateChallenge] {
        var challenges: [AuthenticateChallenge] = []
        while true {
            skip { $0 == UInt8(ascii: ",") || isSpace($0) }
            guard index < bytes.count else { return challenges }
            let word = token()
            guard !word.isEmpty else {
                index += 1
                continue
            }
            skip(isSpace)
            if index < bytes.count, bytes[index] == UInt8(ascii: "="), challenges.isEmpty || !isPadding {
                index += 1
                skip(isSpace)
                let value = index < bytes.count && bytes[index] == UInt8(ascii: "\"") ? quoted() : token()
                if challenges.isEmpty { challenges.append(AuthenticateChallenge(scheme: "", parameters: [:])) }
                let name = word.lowercased()
                if challenges[challenges.count - 1].parameters[name] == nil {
                    challenges[challenges.count - 1].parameters[name] = value
                }
            } else {
                challenges.append(AuthenticateChallenge(scheme: word.lowercased(), parameters: [:]))
            }
        }
    }

    /// Whether the `=` here ends a token68 rather than a parameter's name.
    private var isPadding: Bool {
        let next = index + 1
        return next >= bytes.count || bytes[next] == UInt8(ascii: "=") || bytes[next] == UInt8(ascii: ",")
    }

    private mutating func token() -> String {
        let start = index
        skip { !isSpace($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "\"") }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func quoted() -> String {
        index += 1
        var content: [UInt8] = []
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count { index += 1 }
            content.append(bytes[index])
            index += 1
        }
        index = min(index + 1, bytes.count)
        return String(decoding: content, as: UTF8.self)
    }

    private mutating func skip(_ condition: (UInt8) -> Bool) {
        while index < bytes.count, condition(bytes[index]) { index += 1 }
    }
}

private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
