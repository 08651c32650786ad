import ArgumentParser
import Foundation
import Ostiary
import OstiaryOAuth

/// The user agent for the provider's pages.
struct UserAgentOptions: ParsableArguments {
    /// The kinds of user agent.
    enum Kind: String, ExpressibleByArgument, CaseIterable, Sendable {
        /// The user's browser, and a port of this machine for the redirect.
        case browser
        /// Any browser: the URL is printed, the redirect is pasted.
        case manual
        /// No browser: the command itself fetches pages and submits forms.
        case http
    }

    @Option(
        help:
            "The user agent: browser; manual, which prints the URL and reads the redirect; or http, which fills in forms."
    )
    var userAgent: Kind = .browser

    @Option(help: ArgumentHelp("With --user-agent http: the name for the sign-in form.", valueName: "name"))
    var httpUser: String?

    @Option(
        help: ArgumentHelp("With --user-agent http: a file with the password.", valueName: "file"),
        completion: .file()
    )
    var httpPasswordFile: String?

    @Option(
        help: ArgumentHelp(
            "With --user-agent http: a file with the secret of the account's authenticator app, in base32.",
            valueName: "file"
        ),
        completion: .file()
    )
    var httpOneTimePasswordFile: String?

    @Option(help: ArgumentHelp("The seconds to wait for the browser.", valueName: "seconds"))
    var timeout = 300

    mutating func validate() throws {
        guard (1...86_400).contains(timeout) else {
            throw ValidationError("--timeout must be between 1 and 86400 (seconds).")
        }
        if userAgent != .http, httpUser != nil || httpPasswordFile != nil {
            throw ValidationError("--http-user and --http-password-file go with --user-agent http.")
        }
        if (httpUser == nil) != (httpPasswordFile == nil) {
            throw ValidationError("--http-user and --http-password-file go together.")
        }
        if httpPasswordFile == nil, httpOneTimePasswordFile != nil {
            throw ValidationError("--http-one-time-password-file goes with --http-user and --http-password-file.")
        }
    }
}
