import ArgumentParser
import OstiaryJOSE
import OstiaryOAuth

/// What a client says of itself when it registers.
struct MetadataOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A JSON file with the client's metadata (RFC 7591 section 2); the other options are put over it.",
            valueName: "file"
        )
    )
    var metadata: String?

    @Option(help: ArgumentHelp("What people will be shown as the client's name.", valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp("Where the browser may come back to; may be repeated.", valueName: "uri")
    )
    var redirectURI: [String] = []

    /// The metadata.
    ///
    /// - Parameter base: What holds where no file is given.
    /// - Throws: ``UsageError`` when the file holds none, `configuration` for a redirect URI that cannot be one.
    func metadata(over base: JSONObject) throws -> ClientMetadata {
        var members = try metadata.map { try JSONFile.object($0, "metadata") } ?? base
        if let name { members["client_name"] = .string(name) }
        if !redirectURI.isEmpty {
            members["redirect_uris"] = .array(try redirectURI.map { .string(try RedirectURI($0).description) })
        }
        return ClientMetadata(members)
    }

    /// What a command says of itself when nobody says otherwise: a public client of this machine.
    static var standard: JSONObject {
        get throws(SignInError) {
            ClientMetadata(name: "Ostiary", redirectURIs: [try RedirectURI(ClientOptions.freePort)]).members
        }
    }
}
