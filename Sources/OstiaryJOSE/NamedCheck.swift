#if OSTIARY_MUTANTS
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif
#endif

/// A check with a name, so that `make mutants` can take it out and see whether a test notices.
///
/// In every build but that one a named check is its condition and nothing else.
package enum NamedCheck {
    #if OSTIARY_MUTANTS
        private static let takenOut = ProcessInfo.processInfo.environment["OSTIARY_MUTANT"]

        package static func holds(_ name: StaticString, _ condition: @autoclosure () -> Bool) -> Bool {
            condition() || name.description == takenOut
        }

        package static func holds(named name: String, _ condition: Bool) -> Bool { condition || name == takenOut }
    #else
        /// Whether the condition holds.
        @inline(__always)
        package static func holds(_ name: StaticString, _ condition: @autoclosure () -> Bool) -> Bool { condition() }

        /// Whether the condition of a check holds whose name is a value.
        @inline(__always)
        package static func holds(named name: String, _ condition: Bool) -> Bool { condition }
    #endif
}
