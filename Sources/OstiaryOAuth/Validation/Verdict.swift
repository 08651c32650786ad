import OstiaryJOSE

/// The checks of one response with their results: for `--explain`, for logs and for tests.
///
/// It holds no secret: one-time values and users' names appear as fingerprints.
public struct Verdict: Sendable, Hashable {
    /// One check and its result.
    public struct Entry: Sendable, Hashable {
        /// The check's own name, such as `id_token.aud.others`; stable between versions.
        public let name: String
        /// The check that an error names.
        public let check: SignInError.Check
        /// The specification and section that require the check.
        public let rule: String
        /// Whether it held.
        public let holds: Bool
        /// The expected value, if it may be printed.
        public let expected: String?
        /// The received value, if it may be printed.
        public let found: String?
    }

    /// The stage that the response belongs to.
    public let stage: SignInError.Stage
    /// The checks, in the order in which they were made.
    public private(set) var entries: [Entry] = []
    /// Whether checks that hold are listed as well.
    private let listsEvery: Bool

    /// Starts an empty list.
    public init(_ stage: SignInError.Stage) { self.init(stage, listsEvery: true) }

    private init(_ stage: SignInError.Stage, listsEvery: Bool) {
        self.stage = stage
        self.listsEvery = listsEvery
    }

    /// Starts a list of the checks that fail, for a caller that reads no other.
    ///
    /// The compared values of the others are then not written down: they cost more than the checks.
    package static func ofFailures(_ stage: SignInError.Stage) -> Verdict { Verdict(stage, listsEvery: false) }

    /// The first check that did not hold.
    public var failure: Entry? { entries.first { !$0.holds } }

    /// Makes a check, and stops at it when it does not hold.
    package mutating func require(
        _ name: String,
        _ check: SignInError.Check,
        _ rule: String,
        expected: String? = nil,
        found: String? = nil,
        _ holds: Bool
    ) throws(SignInError) {
        let holds = NamedCheck.holds(named: name, holds)
        record(holds: holds) {
            Entry(name: name, check: check, rule: rule, holds: holds, expected: expected, found: found)
        }
        guard holds else { throw SignInError(stage, failing: check, .init(expected: expected, found: found)) }
    }

    /// Adds a check that was made elsewhere, unless it holds and only failures are listed.
    mutating func record(holds: Bool, _ entry: () -> Entry) {
        if listsEvery || !holds { entries.append(entry()) }
    }

    /// Makes every check of a list, and then stops when one of them did not hold.
    package mutating func require<Facts>(
        _ rules: [Rule<Facts, SignInError.Check>],
        of facts: Facts
    ) throws(SignInError) {
        for rule in rules {
            let holds = rule.isSatisfied(by: facts)
            record(holds: holds) {
                let (expected, found) = rule.evidence?(facts) ?? (nil, nil)
                return Entry(
                    name: rule.name,
                    check: rule.check,
                    rule: rule.citation,
                    holds: holds,
                    expected: expected,
                    found: found
                )
            }
        }
        if let failure {
            throw SignInError(
                stage,
                failing: failure.check,
                .init(expected: failure.expected, found: failure.found)
            )
        }
    }

    /// A printable fingerprint of a value that is secret or identifies the user: enough to distinguish two values.
    package static func fingerprint(_ value: String?) -> String? {
        guard let value else { return nil }
        let digest = HashAlgorithm.sha256.hash(Array(value.utf8)).prefix(4)
        return "sha256:"
            + digest.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
    }
}

extension Verdict: CustomStringConvertible {
    /// The stage, and the check that failed if one did.
    public var description: String {
        "Verdict(\(stage.rawValue), \(failure.map { "failed: \($0.name)" } ?? "\(entries.count) checks hold"))"
    }
}
