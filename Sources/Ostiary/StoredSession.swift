import OstiaryJOSE
import OstiaryOAuth

/// A session as the bytes that a store keeps.
struct StoredSession {
    let tokens: TokenSet

    init(_ tokens: TokenSet) { self.tokens = tokens }

    init(_ bytes: [UInt8]) throws(SignInError) {
        guard let object = try? JSONObject(parsing: bytes), object["version"]?.integer == 1,
            let tokens = object["tokens"]?.object
        else { throw SignInError(.storage, .storage(.corrupted)) }
        self.tokens = try TokenSet(stored: tokens, keys: .thisDevice)
    }

    func bytes() throws(SignInError) -> [UInt8] {
        (["version": 1, "tokens": .object(try tokens.stored())] as JSONObject).encoded()
    }
}
