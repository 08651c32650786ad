import OstiaryJOSE

/// One entry of an issuer's key set.
struct PublishedKey: Sendable {
    /// The position in the document, from 0.
    let index: Int
    let members: JSONObject
    /// The key as the library reads it, or the reason it does not.
    let reading: Result<JSONWebKey, JOSEError>

    init(_ index: Int, _ members: JSONObject) {
        self.index = index
        self.members = members
        do throws(JOSEError) {
            reading = .success(try JSONWebKey(members))
        } catch {
            reading = .failure(error)
        }
    }

    var keyID: String? { members["kid"]?.string }
    var use: String? { members["use"]?.string }

    /// Whether signatures may be checked with it, whether or not the library supports its kind.
    var isForSignatures: Bool {
        guard use ?? "sig" == "sig" else { return false }
        return members["key_ops"]?.array?.contains("verify") ?? true
    }

    /// The words that name it in a message.
    var name: String { keyID.map { "Key \"\($0)\"" } ?? "Key number \(index + 1)" }

    /// The length of an RSA modulus; `nil` for another key, or an unreadable one.
    var modulusBits: Int? {
        guard members["kty"]?.string == "RSA",
            let modulus = members["n"]?.string.flatMap({ try? Base64URL.decode($0) })?.drop(while: { $0 == 0 }),
            let first = modulus.first
        else { return nil }
        return 8 * modulus.count - first.leadingZeroBitCount
    }
}
