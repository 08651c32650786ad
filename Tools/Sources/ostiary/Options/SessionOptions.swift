import ArgumentParser

/// The session of a command.
struct SessionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The name that the session is stored under.", valueName: "name"),
        completion: .shellCommand(Self.listingProfiles),
        transform: ProfileName.named
    )
    var profile: ProfileName = SessionOptions.defaultProfile

    @Option(
        help: ArgumentHelp(
            "The store of sessions: keyring for the desktop's, file:PATH for a sealed folder, or memory.",
            valueName: "store"
        ),
        completion: .list(["keyring", "memory", "file:"]),
        transform: StoreLocation.named
    )
    var store: StoreLocation = SessionOptions.defaultStore

    /// The shell command that lists the profiles of the default store for completion.
    static let listingProfiles =
        #"ostiary sessions list --json 2>/dev/null | tr '{,' '\n\n' | sed -n 's/^"profile":"\([^"]*\)".*/\1/p'"#

    /// The profile of a command without `--profile`.
    static var defaultProfile: ProfileName { CommandSettings.current.profile ?? .standard }
    /// The store of a command without `--store`.
    static var defaultStore: StoreLocation { CommandSettings.current.store ?? .standard }
}
