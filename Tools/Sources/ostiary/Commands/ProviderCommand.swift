import ArgumentParser

/// `ostiary idp`: the development provider.
struct ProviderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "idp",
        abstract: "Run a local OpenID provider for development and tests.",
        subcommands: [ServeProvider.self, ListScenarios.self]
    )
}
