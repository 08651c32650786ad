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
        let profile = Profile(name: place.profile, store: place.store.open())
        guard try await profile.removeEverything() else { throw SignInError(.storage, .signInRequired) }
        return Answer(members: ["removed": .string(place.profile.description)], text: "Removed \(place.profile)\n")
    }
}
