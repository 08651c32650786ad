import Testing

/// A vendor's system.
enum System: String, CaseIterable, Sendable {
    case logi, ssafy, logto, curity, zephr
}

/// Says which capabilities a test shows; `scripts/front-doors.py` reads it from the source and makes
/// docs/front-doors.md of it and of what the tests came to.
struct Covers: TestTrait, SuiteTrait {
    let system: System
    let rows: [Int]
    let cites: [String]
}

extension Trait where Self == Covers {
    /// Says what a test shows.
    ///
    /// - Parameters:
    ///   - system: The vendor's system.
    ///   - rows: Numbers of the feature table.
    ///   - cites: Keys of weaknesses in scripts/front-doors.txt that the test shows to be absent, such as `"L-3"`.
    static func covers(_ system: System, rows: Int..., cites: String...) -> Covers {
        Covers(system: system, rows: rows, cites: cites)
    }
}
