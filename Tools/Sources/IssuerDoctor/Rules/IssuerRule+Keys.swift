import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

/// Rules about the key set.
extension IssuerRule {
    static let keys: [IssuerRule] = [
        keysFound, keysMediaType, keysForm, keysPrivate, keysSymmetric, keysWeak, keysMalformed, keysUsable,
        keysDuplicate,
        keysNamed, keysUse, keysAlgorithm, keysForAlgorithms,
    ]

    private static let keysFound = IssuerRule(
        "keys-found",
        .keys,
        .error,
        "The key set is served with status 200",
        source: "RFC 8414 section 2; OpenID Connect Discovery section 3",
        fix: "Serve the key set at jwks_uri."
    ) { answers in
        guard let answer = answers.keySet else { return nil }
        switch answer {
        case .failure(let failure): return [Fault("The key set could not be fetched: \(failure.rawValue).")]
        case .success(let response) where response.status != .ok:
            return [Fault("The key set is served with another status.", now: "\(response.status.code)")]
        case .success: return []
        }
    }

    private static let keysMediaType = IssuerRule(
        "keys-media-type",
        .keys,
        .warning,
        "The key set is served as JSON",
        source: "RFC 7517 section 8.5",
        fix: "Send the field Content-Type: application/jwk-set+json or application/json."
    ) { answers in
        guard let response = try? answers.keySet?.get(), response.status == .ok else { return nil }
        let mediaType = response.mediaType ?? ""
        return ["application/json", "text/json"].contains(mediaType) || mediaType.hasSuffix("+json")
            ? [] : [Fault("The key set has another media type.", now: response.fields[.contentType])]
    }

    private static let keysForm = IssuerRule(
        "keys-form",
        .keys,
        .error,
        "The key set is an object with an array of at most 100 keys",
        source: "RFC 7517 section 5",
        fix: "Serve {\"keys\": […]} with one object for each key."
    ) { answers in
        guard let reading = answers.keySetReading else { return nil }
        guard case .failure(let error) = reading else { return [] }
        return [Fault("The key set cannot be read (\(error)).")]
    }

    private static let keysPrivate = IssuerRule(
        "keys-private",
        .keys,
        .error,
        "No private key is published",
        source: "RFC 7517 section 9.2; OpenID Connect Discovery section 3",
        fix: "Take the key out of use now, replace it, and publish public members only."
    ) { answers in
        answers.keys?.filter { $0.fails(.privateKeyMaterial) }.map {
            Fault("\($0.name) is published with its private half: anyone can sign tokens with it.")
        }
    }

    private static let keysSymmetric = IssuerRule(
        "keys-symmetric",
        .keys,
        .error,
        "No symmetric key is published",
        source: "RFC 7517 section 9.2; RFC 7518 section 6.4",
        fix: "Take the secret out of use now, and publish public keys only."
    ) { answers in
        answers.keys?.filter { $0.fails(.symmetricKey) }.map {
            Fault("\($0.name) is a shared secret, which everyone knows now.")
        }
    }

    private static let keysWeak = IssuerRule(
        "keys-weak",
        .keys,
        .error,
        "RSA keys have 2048 bits or more and a safe form",
        source: "RFC 7518 section 3.3; CVE-2017-15361",
        fix: "Generate a new RSA key of 2048 bits or more with exponent 65537 in a maintained library."
    ) { answers in
        answers.keys?.filter { $0.fails(.weakKey) }.map { key in
            let bits = key.modulusBits ?? 0
            return bits < 2048
                ? Fault("\(key.name) is too short.", now: "\(bits) bits")
                : Fault(
                    "\(key.name) has numbers with which it can be factored or forged (such as ROCA).",
                    now: "\(bits) bits"
                )
        }
    }

    private static let keysMalformed = IssuerRule(
        "keys-malformed",
        .keys,
        .error,
        "Each key has the members that its type requires, in the required form",
        source: "RFC 7518 section 6",
        fix: "Write coordinates and numbers as base64url without padding, in full length, and a point on the curve."
    ) { answers in
        answers.keys?.compactMap { key in
            guard case .failure(let error) = key.reading else { return nil }
            switch error {
            case .malformed(let member): return Fault("\(key.name) is malformed (\(member)).")
            case .keyFailure: return Fault("\(key.name) is not on its curve.")
            default: return nil
            }
        }
    }

    private static let keysUsable = IssuerRule(
        "keys-usable",
        .keys,
        .error,
        "There is a key for checking signatures",
        source: "OpenID Connect Discovery section 3",
        fix: "Publish the public half of the key that signs ID tokens."
    ) { answers in
        guard let keys = answers.keys else { return nil }
        return keys.contains(where: \.isUsable)
            ? [] : [Fault("None of the \(keys.count) keys can check a signature.")]
    }

    private static let keysDuplicate = IssuerRule(
        "keys-duplicate-kid",
        .keys,
        .warning,
        "Each kid names one key of a type",
        source: "RFC 7517 section 4.5",
        fix: "Give each key a kid of its own."
    ) { answers in
        guard let keys = answers.keys else { return nil }
        // Keys of different types may be alternatives of one name.
        let named = Dictionary(grouping: keys.filter { $0.keyID != nil }) { key in
            [key.members["kty"]?.string ?? "", key.keyID ?? ""]
        }
        return named.filter { $0.value.count > 1 }.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map {
            Fault("\($0.value.count) keys share a kid: a verifier may try the wrong one.", now: $0.key.last)
        }
    }

    private static let keysNamed = IssuerRule(
        "keys-kid",
        .keys,
        .warning,
        "Each of several signing keys has a kid",
        source: "OpenID Connect Core section 10.1",
        fix: "Give the key a kid, and name it in the header of its tokens."
    ) { answers in
        guard let keys = answers.keys?.filter(\.isForSignatures) else { return nil }
        guard keys.count > 1 else { return [] }
        return keys.filter { $0.keyID == nil }.map { Fault("\($0.name) has no kid beside other keys.") }
    }

    private static let keysUse = IssuerRule(
        "keys-use",
        .keys,
        .warning,
        "Keys say their use where there are encryption keys",
        source: "OpenID Connect Discovery section 3",
        fix: "Add \"use\": \"sig\" or \"use\": \"enc\" to each key."
    ) { answers in
        guard let keys = answers.keys else { return nil }
        guard keys.contains(where: { $0.use == "enc" }) else { return [] }
        return keys.filter { $0.use == nil }.map { Fault("\($0.name) does not say its use beside an encryption key.") }
    }

    private static let keysAlgorithm = IssuerRule(
        "keys-alg",
        .keys,
        .note,
        "Each signing key is bound to one algorithm",
        source: "RFC 8725 section 3.1",
        fix: "Add alg to the key, such as \"alg\": \"ES256\"."
    ) { answers in
        answers.keys?.filter { $0.isUsable && $0.members["alg"] == nil }.map { Fault("\($0.name) has no alg.") }
    }

    private static let keysForAlgorithms = IssuerRule(
        "keys-for-algorithms",
        .keys,
        .note,
        "There is a key for each algorithm of ID tokens",
        source: "Advice of this project",
        fix: "Publish a key for the algorithm, or take it out of id_token_signing_alg_values_supported."
    ) { answers in
        guard let keys = answers.keys, let names = answers.texts("id_token_signing_alg_values_supported") else {
            return nil
        }
        let usable = keys.compactMap { $0.isUsable ? try? $0.reading.get() : nil }
        guard !usable.isEmpty else { return nil }
        let set = JSONWebKeySet(usable)
        return names.compactMap { name in
            guard let algorithm = SignatureAlgorithm(rawValue: name) else { return nil }
            let fits = usable.contains { key in
                !set.candidates(keyID: key.keyID, algorithm: algorithm).isEmpty
            }
            return fits ? nil : Fault("No key fits \(name).", now: name)
        }
    }
}

extension PublishedKey {
    fileprivate func fails(_ reason: JOSEError) -> Bool {
        if case .failure(let error) = reading { error == reason } else { false }
    }

    /// Whether the library checks signatures with it.
    fileprivate var isUsable: Bool { (try? reading.get())?.usableForVerification ?? false }
}
