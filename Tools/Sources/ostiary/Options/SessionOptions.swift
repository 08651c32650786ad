import ArgumentParser

/// Which session a command is about.
struct SessionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The name that the session is kept under.", valueName: "name"))
    var profile: ProfileName = .standard

    @Option(
        help: ArgumentHelp("Where sessions are kept: memory, or file:PATH for a sealed folder.", valueName: "store")
    )
    var store: StoreLocation = .standard
}
