#if OSTIARY_MUTANTS
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif
#endif

/// The check that `make mutants` takes out to see whether a test notices; in every other build there is none.
package enum TakenOutCheck {
    #if OSTIARY_MUTANTS
        private static let name = ProcessInfo.processInfo.environment["OSTIARY_MUTANT"]

        package static func isTakenOut(_ name: String) -> Bool { name == self.name }
    #else
        @inline(__always)
        package static func isTakenOut(_ name: String) -> Bool { false }
    #endif
}
