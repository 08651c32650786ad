import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

/// Faults of dynamic registration (RFC 7591) and its management (RFC 7592), and what is allowed and easily forgotten.
extension Scenario {
    /// A registration is answered with 200 instead of 201.
    public static let registrationOK = Scenario(name: "registration-200") {
        $0.response = { request, response in
            if request.path.hasSuffix(Route.registration.rawValue), response.status == .created {
                response.status = .ok
            }
        }
    }
    /// The registration response lacks `client_id`.
    public static let missingClientID = registration("registration-missing-client-id") { $0["client_id"] = nil }
    /// A secret comes without `client_secret_expires_at`.
    public static let missingSecretExpiry = registration("registration-missing-secret-expiry") {
        $0["client_secret_expires_at"] = nil
    }
    /// The registration is managed at another origin: the token must not go there.
    public static let registrationElsewhere = registration("registration-client-uri-elsewhere") {
        $0["registration_client_uri"] = "https://other.example/register/1"
    }
    /// The registration has a token to manage it and no address.
    public static let missingRegistrationURI = registration("registration-missing-client-uri") {
        $0["registration_client_uri"] = nil
    }
    /// The registration has an address to manage it and no token.
    public static let missingRegistrationToken = registration("registration-missing-access-token") {
        $0["registration_access_token"] = nil
    }
    /// Identifiers and secrets have characters that forms, URLs and Basic credentials write in other ways.
    public static let punctuatedCredentials = Scenario(name: "registration-punctuation") {
        $0.clientCredential = { $0 = "%&+=: /?#" + $0 }
    }
    /// Every read and every update gives a new registration access token, and the old one ends.
    public static let rotatedRegistrationToken = Scenario(name: "registration-rotated-token") {
        $0.registrationRotation = [.accessTokenOnRead, .accessTokenOnUpdate]
    }
    /// Every read and every update gives a new client secret, and the old one ends.
    public static let rotatedClientSecret = Scenario(name: "registration-rotated-secret") {
        $0.registrationRotation = [.secretOnRead, .secretOnUpdate]
    }
    /// Reading a registration is refused as if the client had been removed.
    public static let registrationGone = Scenario(name: "registration-read-unauthorized") {
        $0.response = { request, response in
            guard request.method == .get, request.path.contains(Route.registeredClient.rawValue) else { return }
            response = ProviderResponse(
                status: .unauthorized,
                fields: [.wwwAuthenticate: "Bearer realm=\"ostiary\", error=\"invalid_token\""]
            )
        }
    }

    private static func registration(
        _ name: String,
        _ change: @escaping @Sendable (inout JSONObject) -> Void
    ) -> Scenario {
        Scenario(name: name) { $0.registration = change }
    }
}
