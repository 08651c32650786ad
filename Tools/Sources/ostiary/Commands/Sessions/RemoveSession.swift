import ArgumentParser
import Ostiary
import OstiaryOAuth

/// `ostiary sessions remove`: forgets a profile, here alone.
struct RemoveSession: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Forget a profile on this machine.",
        discussion: """
            Nothing is sent, and no token is revoked: ostiary logout does that. Of a damaged
            profile files can be left, since their names do not tell the profile:
            --unreadable removes every file that the store's key does not open. Files of a
            newer version of ostiary stay, and are named.

            EXAMPLES
              ostiary sessions remove --profile work
              ostiary sessions remove --unreadable
            """
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @Flag(help: "Remove the files of a file store that its key does not open, of every profile, and print their names.")
    var unreadable = false
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        if unreadable { return try await removeUnreadable() }
        let store = place.store.open()
        let removal = try await Profile(name: place.profile, store: store).removeEverything()
        guard removal != .nothing else { throw await ExplainedError(noProfile: place) }
        var answer = Answer(
            members: ["removed": .string(place.profile.description)],
            text: "Removed \(place.profile)\n"
        )
        guard removal == .damaged, let left = try? await StoredProfiles(in: store).unreadable, !left.isEmpty else {
            return answer
        }
        let named = CommandArguments.value(of: "--store").map { ["--store", $0] } ?? []
        let line = LoginLine.shell(["ostiary", "sessions", "remove", "--unreadable"] + named)
        answer.members["unreadable"] = .texts(left)
        answer.text += "\nThese files cannot be read, and may be of the profile:\n"
        answer.text += left.map { "  \($0.printable)\n" }.joined() + "To remove them, run: \(line)\n"
        return answer
    }

    private func removeUnreadable() async throws -> Answer {
        guard CommandArguments.value(of: "--profile") == nil else {
            throw UsageError("Choose --profile or --unreadable.")
        }
        guard let store = place.store.open() as? FileStore else {
            throw UsageError("--unreadable is for a store of files: add --store file:PATH, or leave out --store.")
        }
        let files: (removed: [String], newer: [String])
        do throws(StorageFailure) { files = try await store.removeUnreadable() } catch {
            throw SignInError(.storage, .storage(error))
        }
        var answer = Answer(
            members: ["removedFiles": .texts(files.removed)],
            text: files.removed.map { "Removed \($0.printable)\n" }.joined()
        )
        if !files.newer.isEmpty {
            answer.members["newerFiles"] = .texts(files.newer)
            answer.text += "A newer version of ostiary wrote these files, which stay; update ostiary to read them:\n"
            answer.text += files.newer.map { "  \($0.printable)\n" }.joined()
        }
        if answer.text.isEmpty { answer.text = "Every file of the store can be read.\n" }
        return answer
    }
}
