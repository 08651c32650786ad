import OstiaryJOSE
import OstiaryOAuth

/// An authorization response that a browser posted, sealed for the way through the app. (OAuth 2.0 Form Post Response
/// Mode)
///
/// The app's redirect carries it in place of the code: neither the code nor the user's name is in a URL that the device
/// keeps. It opens for its own `state` alone, and only at the backend, which then requires the key and the code
/// verifier as for every other code.
struct PostedResponse: Sendable {
    /// The largest `code` that an app sends, in bytes: a sealed response in base64url.
    static let maximumBytes = 6144
    /// The largest code of an issuer that is sealed, in bytes.
    private static let maximumCodeBytes = 2048
    /// The largest issuer identifier that is sealed, in bytes.
    private static let maximumIssuerBytes = 512
    /// The largest `user` that is sealed, in bytes of JSON.
    private static let maximumUserBytes = 1024

    let code: String
    let issuer: String?
    /// The `user` that the issuer posted: unsigned, and the browser could change it.
    let user: JSONObject?

    /// Reads a form whose parameters occur once; `nil` without a code, and for a code or an issuer that is too long.
    ///
    /// A `user` that is not a JSON object, or is too large, is omitted: the sign-in does not depend on it.
    init?(_ form: Parameters) {
        guard let code = form[.code], (1...Self.maximumCodeBytes).contains(code.utf8.count) else { return nil }
        let issuer = form[.issuer]
        guard (issuer?.utf8.count ?? 0) <= Self.maximumIssuerBytes else { return nil }
        self.code = code
        self.issuer = issuer
        let limits = JSONLimits(maximumBytes: Self.maximumUserBytes, maximumDepth: 3, maximumMembers: 32)
        user = form[.user].flatMap { try? JSONObject(parsing: Array($0.utf8), limits: limits) }
    }

    /// Opens a reference; `nil` when it was not sealed here, or for another `state`.
    init?(reference: String, state: String, sealing: SealingKeys) {
        guard let sealed = try? Base64URL.decode(reference),
            let bytes = try? sealing.open(sealed, for: Self.place(of: state)),
            let object = try? JSONObject(parsing: bytes), let code = object["code"]?.string
        else { return nil }
        self.code = code
        issuer = object["iss"]?.string
        user = object["user"]?.object
    }

    /// The reference to this response, in base64url.
    ///
    /// - Throws: `unavailable` when random numbers are unavailable.
    func reference(state: String, sealing: SealingKeys) throws(StorageFailure) -> String {
        var object: JSONObject = ["code": .string(code)]
        object["iss"] = issuer.map { .string($0) }
        object["user"] = user.map { .object($0) }
        return Base64URL.encode(try sealing.seal(object.encoded(), for: Self.place(of: state)))
    }

    private static func place(of state: String) -> StoreDigest { StoreDigest("sign-in response", [state]) }
}

extension Parameters.Name {
    /// `user` (Sign in with Apple): the user's name and address, in the first response alone.
    static let user: Self = "user"
}
