public import OstiaryJOSE

/// Operations to compare in one run, in time or in counts: the first row is the measure of the others.
///
/// They run on the thread that calls them: callgrind does not bear the threads of concurrency.
public struct Subject: Sendable {
    /// One operation.
    public struct Row: Sendable {
        public let name: String
        public let operation: @Sendable () throws -> Void

        init(_ name: String, _ operation: @escaping @Sendable () throws -> Void) {
            (self.name, self.operation) = (name, operation)
        }
    }

    public let title: String
    public let rows: [Row]

    /// Twenty claims of an ID token.
    public static let claims: JSONObject = [
        "iss": "https://id.example.com", "sub": "248289761001", "aud": "s6BhdRkqt3", "nonce": "n-0S6_WzA2Mj",
        "exp": 4_000_000_000, "iat": 1_800_000_000, "auth_time": 1_799_999_000, "acr": "urn:example:silver",
        "name": "Jane Doe", "given_name": "Jane", "family_name": "Doe", "preferred_username": "j.doe",
        "email": "janedoe@example.com", "email_verified": true, "zoneinfo": "Europe/Berlin", "locale": "de-DE",
        "phone_number": "+49 30 123456", "phone_number_verified": false, "sid": "08a5019c-17e1-4977-8f42-65a12843ea02",
        "azp": "s6BhdRkqt3",
    ]
}
