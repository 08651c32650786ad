import JWTKit
import OstiaryJOSE

extension Benchmarks {
    /// Twenty claims of an ID token.
    static let claims: JSONObject = [
        "iss": "https://id.example.com", "sub": "248289761001", "aud": "s6BhdRkqt3", "nonce": "n-0S6_WzA2Mj",
        "exp": 4_000_000_000, "iat": 1_800_000_000, "auth_time": 1_799_999_000, "acr": "urn:example:silver",
        "name": "Jane Doe", "given_name": "Jane", "family_name": "Doe", "preferred_username": "j.doe",
        "email": "janedoe@example.com", "email_verified": true, "zoneinfo": "Europe/Berlin", "locale": "de-DE",
        "phone_number": "+49 30 123456", "phone_number_verified": false, "sid": "08a5019c-17e1-4977-8f42-65a12843ea02",
        "azp": "s6BhdRkqt3",
    ]

    /// The same claims, as jwt-kit reads them.
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
