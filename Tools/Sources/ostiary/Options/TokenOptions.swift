import ArgumentParser
import Foundation
import OstiaryOAuth

/// The token that a command is about.
struct TokenOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file with the token, or - for standard input. (default: the access token of the profile)",
            valueName: "file"
        ),
        completion: .file()
    )
    var tokenFile: String?

    @Option(
        help: ArgumentHelp("The kind of the token: access_token or refresh_token.", valueName: "kind"),
        completion: .list(["access_token", "refresh_token"]),
        transform: { (name: String) throws -> RevocationRequest.Kind in
            guard let kind = RevocationRequest.Kind(rawValue: name) else {
                throw ValidationError("A token is an access_token or a refresh_token.")
            }
            return kind
        }
    )
    var tokenTypeHint: RevocationRequest.Kind?

    mutating func validate() throws {
        if tokenFile == nil, tokenTypeHint == .refreshToken {
            throw ValidationError("The refresh token of a session stays in its store: ostiary logout revokes it.")
        }
    }

    /// The token of the file.
    ///
    /// - Returns: `nil` when none was named.
    func token(console: Console) async throws -> Secret? {
        guard let tokenFile else { return nil }
        return try await Secret(fileOrInput: tokenFile, "token", console: console)
    }
}

extension Secret {
    /// Reads one line of a file, or of standard input for a hyphen.
    init(fileOrInput path: String, _ noun: String, console: Console) async throws {
        // Users of other tools may type the token itself. It is not repeated.
        if noun == "token", path.split(separator: ".", omittingEmptySubsequences: false).count >= 3,
            path.utf8.count > 20, !path.contains("/"), path.hasPrefix("eyJ")
        {
            throw UsageError(
                "That is a token, not a file. Arguments can be read by every process: pipe it in, as in "
                    + "ostiary token | ostiary jwt decode"
            )
        }
        guard path == "-" else {
            self.init(try SecretFile.line(of: path, noun, console: console))
            return
        }
        guard let line = try await LineOfInput.read(), !line.isEmpty else {
            throw UsageError("Standard input holds no \(noun).")
        }
        self.init(line)
    }
}
