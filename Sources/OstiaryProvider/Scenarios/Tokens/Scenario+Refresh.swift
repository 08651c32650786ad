import OstiaryJOSE

/// Refresh responses of servers in the field that end sessions at clients that do not expect them.
extension Scenario {
    /// A refreshed ID token whose `auth_time` is ten minutes later; the client accepts it.
    ///
    /// Some servers keep the time with the browser's session, and move it when the user authenticates for another
    /// client.
    public static let refreshLaterAuthenticationTime = Scenario(name: "refresh-token-later-auth-time") {
        $0.idToken = { draft in
            guard draft.occasion == .refreshToken, let time = draft.claims["auth_time"]?.integer else { return }
            draft.claims["auth_time"] = .integer(time + 600)
        }
    }
    /// A refreshed ID token with the `nonce` of the sign-in, which some servers repeat; the client accepts it.
    public static let refreshRepeatedNonce = Scenario(name: "refresh-token-repeated-nonce") {
        $0.manners = { $0.nonceAtRefresh = .present }
    }
    /// A refreshed ID token that a new key has signed under the old key's `kid`; the client accepts it at a refresh.
    ///
    /// The old key is still published. Some servers keep the header of a session's first ID token when their keys
    /// rotate.
    public static let refreshKeyUnderOldKeyID = Scenario(name: "refresh-token-key-under-old-kid") {
        $0.keysAtRefresh = .added
        $0.manners = { $0.keyIDAtRefresh = .ofFirstIDToken }
    }
    /// A new key that replaces another one under the same `kid`, and a refreshed ID token that it has signed; the
    /// client accepts the token after it reads the keys again.
    public static let refreshKeyReplaced = Scenario(name: "refresh-token-key-replaced-under-one-kid") {
        $0.keysAtRefresh = .replaced
        $0.idToken = { $0.header["kid"] = "1" }
        $0.keySet = { document in
            let keys = document["keys"]?.array ?? []
            document["keys"] = .array(
                keys.map { key in
                    guard var object = key.object else { return key }
                    object["kid"] = "1"
                    return .object(object)
                }
            )
        }
    }
    /// A refreshed ID token with an algorithm that the metadata lists only from then on; the client accepts it.
    ///
    /// The client must read the metadata again. The provider needs two algorithms.
    public static let refreshOtherAlgorithm = Scenario(name: "refresh-token-other-algorithm") {
        $0.keysAtRefresh = .otherAlgorithm
    }
}
