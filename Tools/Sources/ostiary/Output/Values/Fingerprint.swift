import OstiaryJOSE
import OstiaryOAuth

extension Secret {
    /// The first eight hexadecimal digits of the SHA-256: enough to distinguish two tokens, and useless for signing in.
    var fingerprint: String {
        HashAlgorithm.sha256.hash(Array(reveal().utf8)).prefix(4).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
