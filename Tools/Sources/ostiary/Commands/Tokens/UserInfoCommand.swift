import ArgumentParser
import Ostiary
import OstiaryJOSE

/// `ostiary userinfo`: claims about the user, from the server.
struct UserInfoCommand: SessionCommand, ExplainingCommand {
    static let configuration = CommandConfiguration(
        commandName: "userinfo",
        abstract: "Request the user's claims from the issuer.",
        discussion: "The answer must be about the user who signed in; a signed one is verified."
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var explanation: ExplanationOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let claims = try await StoredSignIn.with(place, telling: trace) { try await $0.session.userInfo().claims }
        return Answer(members: ["claims": .object(claims)], text: ClaimsTable(claims).text)
    }
}
