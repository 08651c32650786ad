import ArgumentParser
import Ostiary
import OstiaryOAuth

/// `ostiary sessions remove`: forgets a profile, here alone.
struct RemoveSession: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Forget a profile, here alone.",
        discussion: "The issuer is told nothing: ostiary logout revokes the tokens, too."
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let profiles = try await StoredProfiles(in: place.store.open())
        guard !profiles.keys(of: place.profile).isEmpty else { throw SignInError(.storage, .signInRequired) }
        try await profiles.remove(place.profile)
        return Answer(members: ["removed": .string(place.profile.description)], text: "Removed \(place.profile)\n")
    }
}
