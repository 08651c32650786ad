import ArgumentParser

/// `ostiary register`: a client that registers itself, and looks after its registration.
struct Register: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Register a client at an issuer.",
        discussion: """
            The registration is stored with the profile, sealed: ostiary login --profile
            NAME signs in as that client. Its secret and its registration access token are
            never printed. A response may replace them, and is stored before it is printed.

            EXAMPLES
              ostiary register --issuer https://id.example.com
              ostiary login
            With metadata and an initial access token, for another profile:
              ostiary register --issuer https://id.example.com --profile work \\
                --metadata client.json --initial-access-token-file token.txt
              ostiary register read --profile work
              ostiary register update --profile work --name "At work"
              ostiary register delete --profile work
            """,
        subcommands: [
            RegisterClient.self, ReadRegistration.self, UpdateRegistration.self, DeleteRegistration.self,
        ],
        defaultSubcommand: RegisterClient.self
    )
}
