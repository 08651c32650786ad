import ArgumentParser
import OstiaryJOSE

extension SignatureAlgorithm {
    /// Reads the name of an algorithm.
    @Sendable static func named(_ name: String) throws -> SignatureAlgorithm {
        guard let algorithm = SignatureAlgorithm(rawValue: name) else {
            let names = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("An algorithm is one of \(names).")
        }
        return algorithm
    }
}
