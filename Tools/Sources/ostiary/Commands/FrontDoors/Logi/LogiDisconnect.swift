import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryLogi
import OstiaryOAuth
import ProviderServer

/// `ostiary logi disconnect`: ends the app's connection with the account.
struct LogiDisconnect: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "disconnect",
        abstract: "Disconnect the app from the account.",
        discussion:
            "It needs a device key with profile:write; one is got first. What the server refuses ends nothing here."
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        try await LogiDoor.withSession(of: place, telling: trace) { door, session in
            do throws(SignInError) {
                return try await disconnect(session, door)
            } catch {
                guard case .refused(let refusal) = error.reason, refusal.code == .insufficientScope else { throw error }
                throw await ExplainedError(noDisconnecting: error, place)
            }
        }
    }

    private func disconnect(_ session: Session, _ door: LogiDoor) async throws(SignInError) -> Answer {
        let key = try await door.logi.deviceExchange().key(for: session, on: .macOS)
        _ = try await door.logi.signOut(session, .disconnecting(key))
        return Answer(members: ["disconnected": true], text: "Disconnected and signed out.\n")
    }
}

extension ExplainedError {
    /// A session whose scopes do not let the app disconnect.
    fileprivate init(noDisconnecting error: SignInError, _ place: SessionOptions) async {
        let kept = try? await FrontDoorPlace(place, of: .logi).configuration()
        var words = ["ostiary", "logi", "login"] + place.arguments
        for (option, member) in [
            ("--client-id", "client_id"), ("--issuer", "issuer"), ("--redirect-uri", "redirect_uri"),
        ] {
            if let value = kept?[member]?.string { words += [option, value] }
        }
        words += ["--scope", (kept?["scope"]?.string ?? "openid") + " profile:write"]
        self.init(
            error,
            "Disconnecting needs the scope profile:write, which this sign-in does not have.",
            advice: "Run: \(LoginLine.shell(words))"
        )
    }
}
