import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// `ostiary sessions list`: the profiles of a store.
struct ListSessions: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the profiles of a store.",
        discussion: "Nothing is sent, and no token is shown."
    )

    @OptionGroup(title: "Session") var place: StoreOptions
    @OptionGroup var output: OutputOptions

    var location: StoreLocation { place.store }

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let store = place.store.open()
        var sessions: [JSONValue] = []
        var text = ""
        let profiles = try await StoredProfiles(in: store)
        for name in profiles.names {
            let profile = Profile(name: name, store: store)
            var members: JSONObject = ["profile": .string(name.description)]
            var table = ClaimsTable()
            if let record = try await profile.recordIfReadable() {
                var session: Session?
                do throws(SignInError) {
                    session = try await SignInClient(record, of: profile, telling: trace).restoreSession()
                } catch {
                    // A damaged session hides no other one; a store that cannot be used now holds none.
                    if case .storage(let failure) = error.reason, failure != .corrupted { throw error }
                    members["unreadable"] = true
                    table.add("session", error.stage == .storage ? "cannot be read" : error.message)
                }
                members["issuer"] = .string(record.issuer.description)
                members["clientID"] = .string(record.clientID)
                members["signedIn"] = .bool(session != nil)
                members["subject"] = session?.identity.map { .string($0.subject) }
                members["expiresAt"] = session.flatMap(\.accessTokenExpiry).map { .string($0.internetTime) }
                table.add("issuer", record.issuer.description)
                table.add("client id", record.clientID)
                table.add("signed in", session == nil ? "no" : session?.identity?.subject ?? "yes")
                if let session {
                    let expiry = session.accessTokenExpiry.map { "until \($0.internetTime)" }
                    table.add("access token", expiry ?? "without a known end")
                    table.add("refreshable", session.isRefreshable ? "yes" : "no")
                }
            } else {
                let systems = profiles.systems(of: name)
                if !systems.isEmpty {
                    members["frontDoors"] = .texts(systems)
                    table.add("front door", systems.joined(separator: ", "))
                }
                if let issuer = try? await profile.registrationIssuer() {
                    members["registeredAt"] = .string(issuer.description)
                    table.add("registered at", issuer.description)
                }
            }
            sessions.append(.object(members))
            text += name.description + "\n" + table.text
        }
        var members: JSONObject = ["sessions": .array(sessions)]
        if sessions.isEmpty { text = "No profiles.\n" }
        if !profiles.unreadable.isEmpty {
            members["unreadable"] = .array(profiles.unreadable.map { .string($0) })
            text += "\nThese files cannot be read:\n"
            text += profiles.unreadable.map { "  \($0.printable)\n" }.joined()
            let removing = CommandArguments.line(of: ["sessions", "remove", "--profile", "NAME"])
            text += "To remove those of a profile, run: \(removing)\n"
            text += "To remove all of them, run: \(CommandArguments.line(of: ["sessions", "remove", "--unreadable"]))\n"
        }
        return Answer(members: members, text: text)
    }
}
