import ArgumentParser
import OstiaryJOSE
import OstiaryOAuth

/// The metadata of a client's registration.
struct MetadataOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A JSON file with the client's metadata (RFC 7591 section 2); other options replace its members.",
            valueName: "file"
        ),
        completion: .file()
    )
    var metadata: String?

    @Option(help: ArgumentHelp("The client's name, as users see it.", valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp("A redirect URI of the client; may be repeated.", valueName: "uri")
    )
    var redirectURI: [String] = []

    /// Returns the metadata.
    ///
    /// `base` holds the members to use without a file.
    ///
    /// - Throws: ``UsageError`` when the file contains no metadata, `configuration` for an invalid redirect URI.
    func metadata(over base: JSONObject) throws -> ClientMetadata {
        var members = try metadata.map { try JSONFile.object($0, "metadata") } ?? base
        if let name { members["client_name"] = .string(name) }
        if !redirectURI.isEmpty {
            members["redirect_uris"] = .array(try redirectURI.map { .string(try RedirectURI($0).description) })
        }
        return ClientMetadata(members)
    }

    /// The default metadata: a public client on this machine.
    static var standard: JSONObject {
        get throws(SignInError) {
            ClientMetadata(name: "Ostiary", redirectURIs: [try RedirectURI(ClientOptions.freePort)]).members
        }
    }
}
