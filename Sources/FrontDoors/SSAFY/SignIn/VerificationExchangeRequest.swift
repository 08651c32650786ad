public import Ostiary
import OstiaryJOSE

/// The values that an app sends its own backend, which redeems them for a verification token: exactly four members.
///
/// The app makes one from a checked callback; a backend reads one with ``init(parsing:)``.
public struct VerificationExchangeRequest: Sendable, Hashable {
    /// The code of the callback, valid once: 16 to 256 characters.
    public let code: Secret
    /// The proof that the code was issued to this app's request: 43 to 128 unreserved characters (RFC 7636).
    public let codeVerifier: Secret
    /// The redirect URI that received the callback, at most 2000 characters; one of the client's registered URIs.
    public let redirectURI: RedirectURI
    /// The issuer of the code, from the callback.
    public let issuer: Issuer

    /// Takes a checked callback's code.
    ///
    /// - Throws: ``VerificationError/Reason/invalidAnswer(_:)`` when the code is not one that a backend would take.
    init(_ handoff: CodeHandoff) throws(VerificationError) {
        guard Self.isCode(handoff.code.reveal()) else { throw VerificationError(.invalidAnswer("code")) }
        code = handoff.code
        codeVerifier = handoff.codeVerifier
        redirectURI = handoff.redirectURI
        issuer = handoff.issuer
    }

    /// Reads a body from an app, strictly: exactly the four members, each a string of its form.
    ///
    /// The backend must check that the issuer is the expected one and the redirect URI a registered one.
    ///
    /// - Parameter body: At most 8,192 bytes.
    /// - Throws: `refused` with the code `INVALID_REQUEST`, which a backend returns with status 400.
    public init(parsing body: [UInt8]) throws(VerificationError) {
        let invalid = VerificationError(.refused, code: .invalidRequest)
        let limits = JSONLimits(maximumBytes: 8192, maximumDepth: 1, maximumMembers: 8)
        guard let object = try? JSONObject(parsing: body, limits: limits), object.count == 4,
            let code = object["code"]?.string, Self.isCode(code),
            let verifier = object["codeVerifier"]?.string, Self.isVerifier(verifier),
            let redirect = object["redirectUri"]?.string,
            redirect.count <= SSAFYConfiguration.maximumRedirectURILength,
            let redirectURI = try? RedirectURI(redirect), let iss = object["iss"]?.string, let issuer = try? Issuer(iss)
        else { throw invalid }
        self.code = Secret(code)
        codeVerifier = Secret(verifier)
        self.redirectURI = redirectURI
        self.issuer = issuer
    }

    /// The body to send: JSON with the members `code`, `codeVerifier`, `redirectUri` and `iss`.
    ///
    /// It holds secrets: send it to the app's own backend, over https, and nowhere else.
    public var body: [UInt8] {
        ([
            "code": .string(code.reveal()), "codeVerifier": .string(codeVerifier.reveal()),
            "redirectUri": .string(redirectURI.description), "iss": .string(issuer.description),
        ] as JSONObject)
        .encoded()
    }

    private static func isCode(_ text: String) -> Bool {
        (16...256).contains(text.unicodeScalars.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    private static func isVerifier(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-._~".utf8.contains($0)
                }
            }
    }
}

extension VerificationExchangeRequest: Encodable {
    private enum Member: String, CodingKey {
        case code, codeVerifier, redirectUri, iss
    }

    /// Writes the four members, for an app that sends the request in its own way.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Member.self)
        try container.encode(code.reveal(), forKey: .code)
        try container.encode(codeVerifier.reveal(), forKey: .codeVerifier)
        try container.encode(redirectURI.description, forKey: .redirectUri)
        try container.encode(issuer.description, forKey: .iss)
    }
}

extension VerificationExchangeRequest: CustomStringConvertible, CustomReflectable {
    /// The issuer; nothing of the code.
    public var description: String { "VerificationExchangeRequest(\(issuer))" }
    /// The issuer.
    public var customMirror: Mirror { Mirror(self, children: ["issuer": issuer.description]) }
}
