import ArgumentParser

/// `ostiary idp`: the development provider.
struct ProviderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "idp",
        abstract: "Run a local OpenID provider for development.",
        subcommands: [ServeProvider.self, ListScenarios.self]
    )
}
