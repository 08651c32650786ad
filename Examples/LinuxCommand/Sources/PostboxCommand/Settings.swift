import Foundation
import Ostiary

/// The settings in the environment.
struct Settings {
    let issuer: Issuer
    let client: Client
    let letters: URL
    let store: any SecretStore
    var policy = SessionPolicy()

    init(_ environment: [String: String]) throws(SignInError) {
        func value(_ name: String) throws(SignInError) -> String {
            guard let value = environment[name], !value.isEmpty else {
                throw SignInError(.authorization, .configuration("Set \(name): README.md says what to."))
            }
            return value
        }
        issuer = try Issuer(try value("POSTBOX_ISSUER"))
        client = try Client(
            id: try value("POSTBOX_CLIENT_ID"),
            redirectURI: try RedirectURI("http://127.0.0.1/callback")
        )
        let place = try value("POSTBOX_LETTERS")
        guard let letters = URL(string: place), let origin = Origin(letters) else {
            throw SignInError(.authorization, .configuration("POSTBOX_LETTERS is not an https URL."))
        }
        self.letters = letters
        policy.resourceOrigins = [origin]
        store = Self.store(folder: environment["POSTBOX_FOLDER"])
    }

    /// The desktop's keyring, or files where there is no desktop: sealed, for this user only.
    private static func store(folder: String?) -> any SecretStore {
        if let folder { return FileStore(directory: folder, key: .file(at: folder + ".key")) }
        #if os(Linux)
            return SecretServiceStore(application: "Postbox")
        #else
            return SignInClient.defaultStore
        #endif
    }
}
