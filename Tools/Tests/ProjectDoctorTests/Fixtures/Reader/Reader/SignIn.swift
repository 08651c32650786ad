import AuthenticationServices
import Ostiary

/* The redirect URI in use is not this one: redirectURI: "my_app://callback" /* nor this */ */
enum SignIn {
    // redirectURI: "old_app://callback"
    static let issuer = "https://id.example.com"
    static let redirectURI = "https://reader.example.com/callback"

    static func client() throws -> SignInClient {
        try SignInClient(issuer: Issuer(issuer), clientID: "reader", redirectURI: RedirectURI(redirectURI))
    }

    static func present(_ session: ASWebAuthenticationSession, at anchor: ASPresentationAnchor) throws {
        guard session.start() else { throw CancellationError() }
        print("The sheet is open.")
    }
}
