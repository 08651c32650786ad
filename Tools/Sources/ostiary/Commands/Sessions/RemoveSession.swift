import ArgumentParser
import Ostiary
import OstiaryOAuth

/// `ostiary sessions remove`: forgets a profile, here alone.
struct RemoveSession: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Forget a profile on this machine.",
        discussion: "Nothing is sent, and no token is revoked: ostiary logout does that."
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let profile = Profile(name: place.profile, store: place.store.open())
        guard try await profile.removeEverything() else { throw await ExplainedError(noProfile: place) }
        return Answer(members: ["removed": .string(place.profile.description)], text: "Removed \(place.profile)\n")
    }
}
