import ArgumentParser

/// The session of a command.
struct SessionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The name that the session is kept under.", valueName: "name"))
    var profile: ProfileName = .standard

    @Option(
        help: ArgumentHelp(
            "Where sessions are kept: keyring for the desktop's, file:PATH for a sealed folder, or memory.",
            valueName: "store"
        )
    )
    var store: StoreLocation = .standard
}
