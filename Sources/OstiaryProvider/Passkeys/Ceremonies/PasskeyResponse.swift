import OstiaryJOSE

/// The browser's response in a ceremony, in the JSON that `PublicKeyCredential.toJSON()` returns.
/// (Web Authentication Level 3 section 5.1.1)
struct PasskeyResponse: Sendable {
    /// The credential ID, in base64url.
    let id: String
    private let response: JSONObject

    /// Reads a response.
    ///
    /// - Throws: `malformed` for any other text; the credential ID is not compared with anything yet.
    init(_ text: String) throws(PasskeyFailure) {
        guard let object = try? JSONObject(parsing: Array(text.utf8)), object["type"]?.string == "public-key",
            let id = object["id"]?.string, object["rawId"]?.string?.utf8.elementsEqual(id.utf8) ?? true,
            (try? Base64URL.decode(id)) != nil, let response = object["response"]?.object
        else { throw .malformed("response") }
        self.id = id
        self.response = response
    }

    /// The bytes of a member.
    func bytes(_ name: String) throws(PasskeyFailure) -> [UInt8] {
        guard let text = response[name]?.string, let bytes = try? Base64URL.decode(text) else { throw .malformed(name) }
        return bytes
    }

    /// The text of a member; `nil` for none.
    func text(_ name: String) -> String? { response[name]?.string }
}
