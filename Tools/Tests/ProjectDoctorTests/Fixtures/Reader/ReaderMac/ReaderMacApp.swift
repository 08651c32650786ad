import Ostiary
import Security

enum MacSignIn {
    static let redirectURI = "http://127.0.0.1/callback"
    static let query = [kSecUseDataProtectionKeychain as String: true]
}
