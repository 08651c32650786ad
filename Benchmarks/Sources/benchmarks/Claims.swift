import JWTKit

extension Benchmarks {
    /// The claims of ``Subject``, as jwt-kit reads them.
    struct Claims: JWTPayload {
        var iss: String
        var sub: String
        var aud: String
        var nonce: String
        var exp: Int
        var iat: Int
        var auth_time: Int
        var acr: String
        var name: String
        var given_name: String
        var family_name: String
        var preferred_username: String
        var email: String
        var email_verified: Bool
        var zoneinfo: String
        var locale: String
        var phone_number: String
        var phone_number_verified: Bool
        var sid: String
        var azp: String
        func verify(using algorithm: some JWTAlgorithm) throws {}
    }
}
