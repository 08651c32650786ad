import Foundation
import OstiarySSAFY
import OstiarySwiftUI

extension SignInSource where Account == Visitor {
    /// SSAFY Verify: the app's own backend redeems the code, and the app keeps the result and no token.
    static func ssafy(_ surroundings: Surroundings) throws -> SignInSource {
        let configuration = try SSAFYConfiguration(
            clientID: "ssafy-partner",
            redirectURI: "https://partner.example.com/ios/ssafy/callback",
            fallbackRedirectURI: "com.example.fivedoors://ssafy/callback",
            scopes: [.ssafyAffiliation]
        )
        guard let endpoint = URL(string: "https://partner.example.com/api/ssafy") else {
            throw VerificationError(.configuration("Give the backend's address."))
        }
        let backend = JSONVerificationBackend(
            endpoint: endpoint,
            transport: surroundings.transport,
            clock: surroundings.clock
        )
        let ssafy = try SSAFYVerify(
            configuration,
            backend: backend,
            userAgent: surroundings.userAgent,
            redirects: surroundings.redirects,
            store: surroundings.store,
            clock: surroundings.clock
        )
        let records = VerificationRecordKeeper(configuration, in: surroundings.store)
        @Sendable func visitor(_ record: VerificationRecord) -> Visitor {
            Visitor(name: record.subject, facts: [record.cohort, record.campus].compactMap(\.self)) {
                try await records.forget()
            }
        }
        return SignInSource(
            restore: { try await records.record().map(visitor) },
            signIn: {
                let record = VerificationRecord(try await ssafy.verify())
                try await records.keep(record)
                return visitor(record)
            },
            signOut: { try await $0.leave() },
            open: { ssafy.handle($0) }
        )
    }
}
