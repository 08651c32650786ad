import Foundation
import NotesBackend
import OstiaryOAuth
import OstiarySSAFYServer
import OstiaryServer

/// The variables that the program is set up with; one that is missing is named.
struct Environment {
    private let variables = ProcessInfo.processInfo.environment

    struct Missing: Error, CustomStringConvertible {
        let name: String
        var description: String { "Set \(name): README.md says to what." }
    }

    subscript(name: String) -> String? { variables[name] }

    func required(_ name: String) throws -> String {
        guard let value = variables[name], !value.isEmpty else { throw Missing(name: name) }
        return value
    }

    func settings() throws -> NotesSettings {
        guard let key = Data(base64Encoded: try required("NOTES_SEALING_KEY")) else {
            throw Missing(name: "NOTES_SEALING_KEY")
        }
        return NotesSettings(
            origin: try required("NOTES_ORIGIN"),
            issuer: try Issuer(required("NOTES_ISSUER")),
            clientID: try required("NOTES_CLIENT_ID"),
            clientSecret: Secret(try required("NOTES_CLIENT_SECRET")),
            redirectURI: try RedirectURI(required("NOTES_REDIRECT_URI")),
            membership: try SSAFYServerConfiguration(
                clientID: required("NOTES_SSAFY_CLIENT_ID"),
                clientSecret: self["NOTES_SSAFY_CLIENT_SECRET"].map(Secret.init),
                redirectURIs: [required("NOTES_SSAFY_REDIRECT_URI")],
                issuer: self["NOTES_SSAFY_ISSUER"] ?? SSAFYConfiguration.canonicalIssuer
            ),
            sealing: SealingKeys(try SealingKeys.Key(id: "1", bytes: Array(key)))
        )
    }
}
