import Foundation
import OstiarySSAFY
import OstiarySwiftUI

extension SignInSource where Account == UserAccount {
    /// SSAFY Verify: the app's own backend redeems the code, and the app keeps the result and no token.
    static func ssafy(_ environment: AppEnvironment) throws -> SignInSource {
        let configuration = try SSAFYConfiguration(
            clientID: "ssafy-partner",
            redirectURI: "https://partner.example.com/ios/ssafy/callback",
            fallbackRedirectURI: "com.example.providers://ssafy/callback",
            scopes: [.ssafyAffiliation]
        )
        guard let endpoint = URL(string: "https://partner.example.com/api/ssafy") else {
            throw VerificationError(.configuration("Give the backend's address."))
        }
        let backend = JSONVerificationBackend(
            endpoint: endpoint,
            transport: environment.transport,
            clock: environment.clock
        )
        let ssafy = try SSAFYVerify(
            configuration,
            backend: backend,
            userAgent: environment.userAgent,
            redirects: environment.redirects,
            store: environment.store,
            clock: environment.clock
        )
        let records = VerificationRecordKeeper(configuration, in: environment.store)
        @Sendable func account(_ record: VerificationRecord) -> UserAccount {
            UserAccount(name: record.subject, facts: [record.cohort, record.campus].compactMap(\.self)) {
                try await records.forget()
            }
        }
        return SignInSource(
            restore: { try await records.record().map(account) },
            signIn: {
                let record = VerificationRecord(try await ssafy.verify())
                try await records.keep(record)
                return account(record)
            },
            signOut: { try await $0.leave() },
            open: { ssafy.handle($0) }
        )
    }
}
