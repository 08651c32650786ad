import Foundation
import OstiaryJOSE
import Subjects

/// Operations for callgrind to count, one after the other on the main thread; `scripts/counts.py` makes tables of them.
///
/// It prints a line for each row: its table, its name, and the number of operations between two marks.
@main
enum Counts {
    private static let operations = 20
    /// Objects that the first use makes are not part of an operation.
    private static let firstUses = 2

    static func main() throws {
        let rsa = try SigningKey.generate(.rs256, keyID: "k")
        let es256 = try SigningKey.generate(.es256, keyID: "k")
        let pss = try SigningKey(pem: rsa.pemRepresentation(), algorithm: .ps256, keyID: "k")
        for key in [rsa, pss, es256, try SigningKey.generate(.edDSA, keyID: "k")] {
            try count(Subject.verification(of: key.sign(claims: Subject.claims), by: key))
        }
        try count(Subject.growingKeySet())
        for key in [rsa, es256] { try count(Subject.tokenResponse(by: key)) }
        for key in [rsa, es256] {
            let token = try Subject.accessToken(by: key)
            try count(Subject.guardedRoute(of: token, by: key, operations: firstUses + operations))
        }
    }

    private static func count(_ subject: Subject) throws {
        for row in subject.rows {
            for _ in 0..<firstUses { try row.operation() }
            print("\(subject.title)\t\(row.name)\t\(operations)")
            callgrindMark()
            for _ in 0..<operations { try row.operation() }
            callgrindMark()
        }
    }
}

/// A mark in callgrind's profile: it writes the counts so far when this function is entered.
@inline(never)
private func callgrindMark() { fflush(nil) }
