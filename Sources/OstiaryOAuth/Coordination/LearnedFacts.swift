import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The facts about an issuer that a client has learned and keeps beside its session, so that the next process need not
/// request them again.
///
/// They save requests and decide nothing: a client without them does the same with more requests. They hold no token
/// and nothing about the user. A process that can write them can sign tokens in the issuer's name, so they are stored
/// with the session.
package struct LearnedFacts: Sendable, Hashable {
    /// Whether a sign-in must send `prompt=consent` to get a refresh token (OpenID Connect Core section 11).
    package enum ConsentForRenewal: String, Sendable, Hashable {
        /// The server ignored `offline_access` without it.
        case needed
        /// The server issued no refresh token with it either.
        case useless
    }

    package var metadata: IssuerMetadata.Snapshot?
    package var keys: KeySetCache.Snapshot?
    /// The last nonces of authorization servers, the oldest first.
    package var nonces: [KeptNonce] = []
    package var resourceNonces: [KeptNonce] = []
    package var consent: ConsentForRenewal?

    /// Begins with nothing.
    package init() {}

    /// The number of nonces kept of each kind.
    package static let nonceCount = 8
    /// The largest value that is written, in bytes; metadata and keys are left out of a larger one.
    private static let maximumBytes = 49_152
}

extension LearnedFacts {
    /// Reads the output of ``bytes()``; unreadable facts count as unknown.
    package init(_ bytes: [UInt8], of issuer: Issuer) {
        guard let object = try? JSONObject(parsing: bytes), object["version"]?.integer == 1 else { return }
        if let documents = object["metadata"]?.object.flatMap({ MetadataDocuments(stored: $0, of: issuer) }),
            let read = object["metadata_read"]?.number
        {
            metadata = IssuerMetadata.Snapshot(documents: documents, read: Date(timeIntervalSince1970: read))
        }
        keys = object["keys"]?.object.flatMap { try? KeySetCache.Snapshot(parsing: $0.encoded()) }
        nonces = Self.nonces(object["nonces"])
        resourceNonces = Self.nonces(object["resource_nonces"])
        consent = object["consent_for_renewal"]?.string.flatMap(ConsentForRenewal.init)
    }

    private static func nonces(_ value: JSONValue?) -> [KeptNonce] {
        (value?.array ?? []).suffix(nonceCount).compactMap { $0.object.flatMap(KeptNonce.init(stored:)) }
    }

    /// The facts for a sealed store: at most 48 KiB.
    package func bytes() -> [UInt8] {
        let whole = encoded()
        if whole.count <= Self.maximumBytes { return whole }
        var small = self
        small.metadata = nil
        small.keys = nil
        return small.encoded()
    }

    private func encoded() -> [UInt8] {
        var object: JSONObject = ["version": 1]
        if let metadata {
            object["metadata"] = .object(metadata.documents.stored())
            object["metadata_read"] = .number(metadata.read.timeIntervalSince1970)
        }
        object["keys"] = keys.flatMap { try? JSONObject(parsing: $0.encoded()) }.map { .object($0) }
        if !nonces.isEmpty { object["nonces"] = .array(nonces.map { .object($0.stored()) }) }
        if !resourceNonces.isEmpty { object["resource_nonces"] = .array(resourceNonces.map { .object($0.stored()) }) }
        object["consent_for_renewal"] = consent.map { .string($0.rawValue) }
        return object.encoded()
    }
}
