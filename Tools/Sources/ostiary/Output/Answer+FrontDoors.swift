import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

extension Answer {
    /// A token, which the command was run for.
    init(_ token: Secret, until expiry: Date?) {
        members = ["accessToken": .string(token.reveal()), "expiresAt": expiry.json]
        text = token.reveal().printable + "\n"
    }

    /// A session that has ended here, and the provider's response.
    init(signedOut report: SignOutReport) {
        let failures = [report.revocationFailure, report.endSessionFailure].compactMap { $0?.message }
        members = [
            "revocation": report.revocationFailure.map { .string($0.message) } ?? .null,
            "endSession": report.endSessionFailure.map { .string($0.message) } ?? .null,
            "endedProviderSession": .bool(report.endedProviderSession),
            "revocationError": report.revocationFailure.map { .object(Failure($0).object) } ?? .null,
            "endSessionError": report.endSessionFailure.map { .object(Failure($0).object) } ?? .null,
        ]
        text = "Signed out here.\n" + failures.map { "The provider did not confirm: \($0.printable)\n" }.joined()
    }
}
