public import HTTPTypes
public import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A key that tokens are bound to, and the proofs of possession that it signs (RFC 9449 section 4).
///
/// A stolen token is worth nothing without it. One session has one key, which is stored with its tokens.
public struct DPoPKey: Sendable {
    package let signingKey: SigningKey
    /// The RFC 7638 thumbprint that tokens are bound to (`jkt`).
    public let thumbprint: String

    /// Takes a key.
    public init(_ signingKey: SigningKey) {
        self.signingKey = signingKey
        thumbprint = signingKey.publicKey.thumbprint()
    }

    /// Makes a new key.
    ///
    /// - Throws: `configuration` at stage `authorization` when the library cannot make one.
    public static func generate(_ algorithm: SignatureAlgorithm = .es256) throws(SignInError) -> DPoPKey {
        do throws(JOSEError) {
            return DPoPKey(try SigningKey.generate(algorithm))
        } catch {
            throw SignInError(.authorization, .configuration("No key could be made for \(algorithm.rawValue)."))
        }
    }

    /// Signs a proof for one request (RFC 9449 section 4.2).
    ///
    /// `accessToken` is the token that the request presents; its hash goes into the proof (RFC 9449 section 7). `role`
    /// is the role of the server at the URL.
    func proof(
        for request: EndpointRequest,
        accessToken: Secret? = nil,
        as role: DPoPNonces.Role,
        _ fresh: inout Freshness
    ) throws(SignInError) -> String {
        var claims: JSONObject = [
            "jti": .string(fresh.oneTimeValue()),
            "htm": .string(request.method.rawValue),
            // Without query and fragment, and otherwise unchanged: servers compare the text.
            "htu": .string(request.url.withoutQuery),
            "iat": .whole(fresh.now.timeIntervalSince1970),
        ]
        claims["ath"] = accessToken.map {
            .string(Base64URL.encode(HashAlgorithm.sha256.hash(Array($0.reveal().utf8))))
        }
        claims["nonce"] = fresh.nonce(for: request.url, as: role).map { .string($0) }
        var publicKey = JSONObject()
        for name in ["kty", "crv", "x", "y", "n", "e"] {
            publicKey[name] = signingKey.publicKey.jsonObject[name]
        }
        do throws(JOSEError) {
            return try signingKey.sign(claims: claims, type: "dpop+jwt", extraHeader: ["jwk": .object(publicKey)])
        } catch {
            switch error {
            case .keyLost: throw SignInError(.authorization, .keyLost)
            case .keyLocked: throw SignInError(.authorization, .storage(.locked))
            default:
                throw SignInError(.authorization, .configuration("The key that tokens are bound to cannot sign."))
            }
        }
    }
}

extension DPoPKey: Hashable, CustomStringConvertible, CustomReflectable {
    /// Compares thumbprints.
    public static func == (left: DPoPKey, right: DPoPKey) -> Bool { left.thumbprint == right.thumbprint }
    /// Hashes the thumbprint.
    public func hash(into hasher: inout Hasher) { hasher.combine(thumbprint) }
    /// The algorithm and the thumbprint.
    public var description: String { "DPoPKey(\(signingKey.algorithm.rawValue), \(thumbprint))" }
    /// The thumbprint.
    public var customMirror: Mirror { Mirror(self, children: ["thumbprint": thumbprint]) }
}

extension EndpointRequest {
    /// Adds a proof of possession, when there is a key to prove (RFC 9449 section 5).
    ///
    /// Add it last: it covers method and URL.
    ///
    /// - Throws: `keyLost` or `storage(locked)` when hardware that keeps the key does not sign now.
    public mutating func prove(_ key: DPoPKey?, _ fresh: inout Freshness) throws(SignInError) {
        guard let key else { return }
        fields[.dpop] = try key.proof(for: self, as: .authorizationServer, &fresh)
        serverRole = .authorizationServer
    }

    /// Presents an access token: as a bearer token, or with the proof that its binding requires (RFC 6750 section 2.1,
    /// RFC 9449 section 7.1).
    mutating func present(_ token: Secret, boundTo key: DPoPKey?, _ fresh: inout Freshness) throws(SignInError) {
        guard let key else {
            fields[.authorization] = "Bearer " + token.reveal()
            return
        }
        fields[.authorization] = "DPoP " + token.reveal()
        fields[.dpop] = try key.proof(for: self, accessToken: token, as: .resourceServer, &fresh)
        serverRole = .resourceServer
    }
}

extension HTTPField.Name {
    // The literals are tokens, so there is a name for each.
    // swift-format-ignore: NeverForceUnwrap
    /// `DPoP`: the proof of possession (RFC 9449 section 4.1).
    public static let dpop = HTTPField.Name("DPoP")!
    // swift-format-ignore: NeverForceUnwrap
    /// `DPoP-Nonce`: the nonce that the next proof must carry (RFC 9449 section 8.1).
    public static let dpopNonce = HTTPField.Name("DPoP-Nonce")!
}
