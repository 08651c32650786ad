import ArgumentParser

/// `ostiary idp`: the development provider.
struct ProviderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "idp",
        abstract: "Run a provider of your own for development.",
        subcommands: [ServeProvider.self]
    )
}
