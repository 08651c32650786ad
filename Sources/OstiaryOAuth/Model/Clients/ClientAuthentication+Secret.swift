import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ClientAuthentication {
    /// `client_secret_basic`: id and secret, each form-encoded, in the `Authorization` field (RFC 6749 section 2.3.1).
    public static func clientSecretBasic(_ secret: Secret) -> ClientAuthentication {
        ClientAuthentication(method: "client_secret_basic") { request, client, _, _ in
            let pair = FormURLEncoding.escape(client.id) + ":" + FormURLEncoding.escape(secret.reveal())
            request.fields[.authorization] = "Basic " + Data(pair.utf8).base64EncodedString()
        }
    }

    /// `client_secret_post`: id and secret in the form (RFC 6749 section 2.3.1).
    public static func clientSecretPost(_ secret: Secret) -> ClientAuthentication {
        ClientAuthentication(method: "client_secret_post") { request, client, _, _ in
            request.form[.clientID] = client.id
            request.form[.clientSecret] = secret.reveal()
        }
    }
}
