import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The keys that an issuer has been asked for and did not have: a minute each, a thousand at most.
struct MissingKeys {
    /// For how many seconds one is remembered.
    static let memory: Double = 60
    /// How many are remembered; the oldest makes room.
    static let capacity = 1000

    /// What stands for a key here.
    ///
    /// Identifiers come from outside and may be long; the seeded hash is short, and nobody outside can make two collide.
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
