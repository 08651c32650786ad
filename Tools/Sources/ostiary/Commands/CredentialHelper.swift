import ArgumentParser
import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary credential`: the session's token for programs that ask a helper for credentials.
struct CredentialCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credential",
        abstract: "Give git and docker the session's token.",
        discussion: """
            Only the hosts of --host get the token.

            EXAMPLES
            In ~/.gitconfig:
              [credential "https://git.example.com"]
                helper = !ostiary credential git --host git.example.com
            In an executable file docker-credential-ostiary on the PATH, named in
            ~/.docker/config.json as {"credHelpers":{"registry.example.com":"ostiary"}}:
              #!/bin/sh
              exec ostiary credential docker --host registry.example.com "$@"
            For kubectl, in a user of ~/.kube/config:
              exec:
                apiVersion: client.authentication.k8s.io/v1
                command: ostiary
                args: [token, --id-token, --format, kubectl]
                interactiveMode: Never
            """,
        subcommands: [GitCredential.self, DockerCredential.self]
    )
}

/// The options of both helpers.
struct CredentialOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A host that may get the token; may be repeated.", valueName: "host"))
    var host: [String]

    @Option(help: ArgumentHelp("The user name beside the token.", valueName: "name"))
    var username = "oauth2"

    @Option(
        help: ArgumentHelp("The resource server of the token. (default: the token of the sign-in)", valueName: "uri")
    )
    var resource: String?

    /// Whether a host, with or without a port, may get the token.
    func allows(_ name: String) -> Bool { host.contains { $0.lowercased() == name.lowercased() } }

    /// A bearer token of a profile.
    func token(_ place: SessionOptions, telling trace: Trace) async throws -> (token: Secret, expiry: Date?) {
        let target = try resource.map { (text) throws(SignInError) in try ResourceIndicator(text) }
        return try await StoredSignIn.with(place, telling: trace) { signIn in
            guard signIn.session.tokenType == "Bearer" else {
                throw UsageError("The token is bound to a key, and this program cannot prove it: use ostiary request.")
            }
            let token = try await signIn.accessToken(for: target, minimumValidity: nil)
            return (token, signIn.session.accessTokenExpiry(for: target))
        }
    }
}

/// `ostiary credential git`: a helper of git (gitcredentials(7)).
struct GitCredential: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "git",
        abstract: "Serve git's credential protocol.",
        discussion: "get answers with the token; store and erase do nothing: the session has its own store."
    )

    @OptionGroup var options: CredentialOptions
    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The action: get, store or erase.")
    var action: String

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        var attributes: [String: String] = [:]
        for _ in 0..<64 {
            guard let line = try await LineOfInput.read(), !line.isEmpty else { break }
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if parts.count == 2 { attributes[parts[0]] = parts[1] }
        }
        // Git asks every helper about every host: no answer is the answer for a host of another helper.
        guard action == "get", let host = attributes["host"], options.allows(host), attributes["protocol"] == "https"
        else { return Answer(members: [:], text: "") }
        let (token, expiry) = try await options.token(place, telling: trace)
        var text = "username=\(options.username.printable)\npassword=\(token.reveal().printable)\n"
        if let expiry { text += "password_expiry_utc=\(Int(expiry.timeIntervalSince1970))\n" }
        return Answer(
            members: ["username": .string(options.username), "password": .string(token.reveal())],
            text: text
        )
    }
}

/// `ostiary credential docker`: a helper of docker (docker-credential-helpers).
struct DockerCredential: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "docker",
        abstract: "Serve docker's credential protocol.",
        discussion: "get answers with the token, list with the hosts; store and erase do nothing."
    )

    @OptionGroup var options: CredentialOptions
    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The action: get, list, store or erase.")
    var action: String

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        switch action {
        case "get":
            let server = try await LineOfInput.read()?.trimmingCharacters(in: .whitespaces) ?? ""
            guard let host = Self.host(of: server), options.allows(host) else {
                // The words that docker knows.
                return Answer(members: [:], text: "credentials not found in native keychain\n", status: .other)
            }
            let (token, _) = try await options.token(place, telling: trace)
            let credential: JSONObject = [
                "ServerURL": .string(server), "Username": .string(options.username), "Secret": .string(token.reveal()),
            ]
            return Answer(members: credential, text: credential.printable + "\n")
        case "list":
            var hosts = JSONObject()
            for host in options.host { hosts[host] = .string(options.username) }
            return Answer(members: hosts, text: hosts.printable + "\n")
        default: return Answer(members: [:], text: "")
        }
    }

    /// Docker names a server by its URL, or by its host alone; never over plain HTTP here.
    private static func host(of server: String) -> String? {
        guard server.contains("://") else { return server.split(separator: "/").first.map(String.init) }
        guard let parts = URLComponents(string: server), parts.scheme == "https" else { return nil }
        return parts.port.map { "\(parts.host ?? ""):\($0)" } ?? parts.host
    }
}
