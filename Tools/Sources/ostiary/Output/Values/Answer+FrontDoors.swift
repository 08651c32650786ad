import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

extension Answer {
    /// A token, which the command was run for.
    ///
    /// - Throws: ``UsageError`` for a form that cannot present it.
    init(_ token: Secret, until expiry: Date?, as format: TokenFormat) throws(UsageError) {
        members = ["accessToken": .string(token.reveal()), "expiresAt": expiry.json]
        text = try format.text(of: token, type: "Bearer", expiry: expiry)
    }

    /// A profile without a session to end.
    init(alreadySignedOut profile: ProfileName, members: JSONObject) {
        self.init(members: members, text: "Already signed out (profile \"\(profile)\").\n")
    }

    /// The members of a sign-out through a front door that had nothing to end.
    static let nothingToEnd: JSONObject = [
        "revocation": .null, "endSession": .null, "endedProviderSession": false, "revocationError": .null,
        "endSessionError": .null,
    ]

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
        text = "Signed out\n" + failures.map { "The provider did not confirm: \($0.printable)\n" }.joined()
    }
}
