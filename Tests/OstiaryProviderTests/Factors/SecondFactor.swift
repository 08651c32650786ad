import OstiaryOAuth
import OstiaryProvider
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The authenticator app of alice.
enum Authenticator {
    static let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

    static func password() throws -> OneTimePassword { try OneTimePassword(secret: Secret(secret)) }
}

extension World {
    /// A world in which alice has an authenticator app.
    static func withSecondFactor(
        _ occasion: ProviderConfiguration.SecondFactor = .always,
        change: (inout ProviderConfiguration) -> Void = { _ in }
    ) throws -> World {
        let password = try Authenticator.password()
        return try World {
            $0.secondFactor = occasion
            $0.users[0].oneTimePassword = password
            change(&$0)
        }
    }

    /// The one-time password of this moment, or of one that is so many seconds away.
    func oneTimePassword(_ seconds: Double = 0) throws -> String {
        try Authenticator.password().code(at: clock.now.addingTimeInterval(seconds)).reveal()
    }
}

extension Browser {
    /// Enters the password; the page for the one-time password.
    func passwordFirst(_ request: Parameters = .authorization()) async throws -> OneTimePasswordPage {
        try #require(try await follow(try await signIn(request)).oneTimePasswordPage)
    }

    /// Enters a one-time password.
    func enter(_ code: String, _ page: OneTimePasswordPage) async -> ProviderResponse {
        await submit(page.form, ["one_time_password": code])
    }
}

extension ProviderResponse {
    var oneTimePasswordPage: OneTimePasswordPage? {
        if case .oneTimePassword(let page) = page { page } else { nil }
    }
}
