import OstiaryCompatibility
import OstiaryJOSE

/// The part of a response that the browser made. (Web Authentication Level 3 section 5.8.1)
struct ClientData: Sendable {
    /// The ceremony.
    enum Ceremony: String, Sendable {
        /// A passkey was made.
        case creation = "webauthn.create"
        /// A passkey signed in.
        case assertion = "webauthn.get"
    }

    let type: String
    let challenge: String
    let origin: String
    /// Whether the page was in a frame of another origin, or names the page around it.
    let isFramed: Bool

    /// Reads client data.
    ///
    /// - Throws: `malformed` for anything that is not a JSON object with these members.
    init(_ bytes: [UInt8]) throws(PasskeyFailure) {
        // UTF-8 decode strips a byte order mark (section 7.1 step 5).
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        guard let object = try? JSONObject(parsing: text), let type = object["type"]?.string,
            let challenge = object["challenge"]?.string, let origin = object["origin"]?.string
        else { throw .malformed("client data") }
        self.type = type
        self.challenge = challenge
        self.origin = origin
        let crossOrigin = object["crossOrigin"]
        isFramed = object["topOrigin"] != nil || (crossOrigin != nil && crossOrigin != .bool(false))
    }
}
