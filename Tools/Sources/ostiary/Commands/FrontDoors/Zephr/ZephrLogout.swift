import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryZephr
import ProviderServer

/// `ostiary zephr logout`: end the session here and at the site.
struct ZephrLogout: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "End the session here and at the site."
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        try await ZephrDoor.signOut(of: place, telling: trace, orAnswer: ["siteFailure": .null]) { _, session in
            let report = try await session.signOut()
            let failure = report.failure.map { "\($0)" }
            let members: JSONObject = ["siteFailure": failure.map { .string($0) } ?? .null]
            let text = "Signed out\n" + (failure.map { "The site did not confirm: \($0.printable)\n" } ?? "")
            return Answer(members: members, text: text)
        }
    }
}
