import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The keys that an issuer was found not to have: remembered for a minute each, a thousand at most.
struct MissingKeys {
    /// The time for which a key is remembered, in seconds.
    static let memory: Double = 60
    /// The number of remembered keys; the oldest makes room.
    static let capacity = 1000

    /// The hash that identifies a key here.
    ///
    /// Identifiers are untrusted and may be long. The seeded hash is short, and an attacker cannot produce collisions.
    private typealias Fingerprint = Int

    private var noted: [Fingerprint: Date] = [:]

    /// Notes that the issuer does not have a key.
    mutating func insert(keyID: String?, algorithm: SignatureAlgorithm, at now: Date) {
        if noted.count >= Self.capacity {
            noted = noted.filter { Self.isRecent($0.value, at: now) }
            if noted.count >= Self.capacity, let oldest = noted.min(by: { $0.value < $1.value }) {
                noted[oldest.key] = nil
            }
        }
        noted[Self.fingerprint(keyID, algorithm)] = now
    }

    /// Whether the issuer was found not to have the key a short time ago.
    func contains(keyID: String?, algorithm: SignatureAlgorithm, at now: Date) -> Bool {
        noted[Self.fingerprint(keyID, algorithm)].map { Self.isRecent($0, at: now) } ?? false
    }

    private static func isRecent(_ date: Date, at now: Date) -> Bool { abs(now.timeIntervalSince(date)) < memory }

    private static func fingerprint(_ keyID: String?, _ algorithm: SignatureAlgorithm) -> Fingerprint {
        var hasher = Hasher()
        hasher.combine(algorithm)
        // The bytes: two spellings that Unicode calls equivalent are two identifiers.
        hasher.combine(keyID.map { Array($0.utf8) })
        return hasher.finalize()
    }
}
