package import OstiaryJOSE

/// Loads keys that other hardware holds.
package struct ExternalKeys: Sendable {
    private let find: @Sendable (_ kind: String, _ handle: [UInt8]) throws(JOSEError) -> ExternalKey

    package init(_ find: @escaping @Sendable (_ kind: String, _ handle: [UInt8]) throws(JOSEError) -> ExternalKey) {
        self.find = find
    }

    /// No such hardware: each key is lost.
    package static let none = ExternalKeys { (_, _) throws(JOSEError) in throw .keyLost }

    func key(_ kind: String, _ handle: [UInt8]) throws(JOSEError) -> ExternalKey { try find(kind, handle) }
}

extension DPoPKey {
    /// The key for a sealed store: the private key itself, or the handle of hardware that keeps it and its thumbprint.
    package func stored() throws(SignInError) -> JSONObject {
        if let external = signingKey.external {
            return [
                "external": .string(external.kind), "handle": .string(Base64URL.encode(external.handle)),
                "jkt": .string(thumbprint),
            ]
        }
        do throws(JOSEError) {
            return try signingKey.privateJWK()
        } catch {
            throw SignInError(.storage, .storage(.unavailable))
        }
    }

    /// Reads the output of ``stored()``.
    ///
    /// - Throws: At stage `storage`: `keyLost` when the hardware no longer knows the key, or has another one under
    ///   its handle; `storage(.locked)` when it does not open it now; `storage(.corrupted)`.
    package init(stored object: JSONObject, _ keys: ExternalKeys) throws(SignInError) {
        let corrupted = SignInError(.storage, .storage(.corrupted))
        guard object["external"] != nil else {
            // A bound token is useless without its key: an incomplete session is not restored.
            guard let key = try? SigningKey(privateJWK: object, algorithm: nil) else { throw corrupted }
            self.init(key)
            return
        }
        guard let kind = object["external"]?.string, let jkt = object["jkt"]?.string,
            let handle = object["handle"]?.string.flatMap({ try? Base64URL.decode($0) })
        else { throw corrupted }
        do throws(JOSEError) {
            self.init(try SigningKey(try keys.key(kind, handle)))
        } catch {
            throw SignInError(.storage, error == .keyLocked ? .storage(.locked) : .keyLost)
        }
        guard NamedCheck.holds("dpop_key.thumbprint", constantTimeEqual(thumbprint, jkt)) else {
            throw SignInError(.storage, .keyLost)
        }
    }
}
