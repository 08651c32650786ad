import ArgumentParser
import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Synchronization

/// `ostiary demo`: everything from discovery to sign-out, in one process, over real HTTP.
struct Demo: AnsweringCommand {
    static let configuration = CommandConfiguration(
        abstract: "See a whole sign-in, against a provider that lives as long as the demo.",
        discussion: """
            Starts the development provider on a free port, signs in, renews the token,
            asks who it is and signs out. The pages are filled in by the command itself;
            with --browser a person does it.
            """
    )

    @Flag(help: "Sign in yourself, in your browser.")
    var browser = false

    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        var random = SecureRandom()
        let development = try DevelopmentProvider(using: &random)
        let server = try await ProviderServer.start { issuer in
            let provider = Provider(
                configuration: try development.configuration(for: issuer),
                now: { .now },
                random: SecureRandom()
            )
            try await provider.prepare()
            return provider
        }
        do {
            let answer = try await walk(server.issuer, development, Narration(console, isQuiet: output.json))
            await server.stop()
            return answer
        } catch {
            await server.stop()
            throw error
        }
    }

    private func walk(
        _ issuer: Issuer,
        _ development: DevelopmentProvider,
        _ narration: Narration
    ) async throws -> Answer {
        narration.step("The development provider listens at \(issuer).")
        let agent = agent(development, narration)
        let client = SignInClient(
            issuer: issuer,
            client: try Client(
                id: DevelopmentProvider.appClientID,
                redirectURI: try RedirectURI("http://127.0.0.1/callback")
            ),
            userAgent: agent,
            transport: commandTransport,
            events: { narration.step($0) }
        )
        let session = try await client.signIn()
        await UserAgentOptions.settle(agent)
        let claims = session.identity?.claims ?? [:]
        narration.show("The verified claims of the ID token", ClaimsTable(claims).text)

        let before = try await session.accessToken().fingerprint
        try await session.refresh()
        let after = try await session.accessToken().fingerprint
        narration.show("The access token's fingerprint", "  \(before) → \(after)\n")

        let userInfo = try await session.userInfo().claims
        narration.show("User info", ClaimsTable(userInfo).text)

        let report = try await session.signOut(endingProviderSessionAt: try RedirectURI("http://127.0.0.1/callback"))
        await UserAgentOptions.settle(agent)
        if let failure = report.revocationFailure ?? report.endSessionFailure { throw failure }
        narration.step("The provider has ended its own session.")
        return Answer(
            members: [
                "issuer": .string(issuer.description),
                "claims": .object(claims),
                "fingerprints": .array([.string(before), .string(after)]),
                "userInfo": .object(userInfo),
                "revocation": "revoked",
                "endSession": "ended",
            ],
            text: "\nEverything worked.\n"
        )
    }

    private func agent(_ development: DevelopmentProvider, _ narration: Narration) -> any UserAgent {
        guard browser else {
            return UserAgentOptions.http(
                credentials: HTTPUserAgent.Credentials(
                    name: DevelopmentProvider.userName,
                    password: development.password
                )
            )
        }
        narration.note("Sign in as \(DevelopmentProvider.userName) with the password \(development.password.reveal())")
        return UserAgentOptions.browser(console: narration.console)
    }
}

/// Tells the demo's steps, numbered, as they happen.
private final class Narration: Sendable {
    let console: Console
    private let isQuiet: Bool
    private let count = Mutex(0)

    /// - Parameter isQuiet: Whether the steps are notes beside an answer for programs.
    init(_ console: Console, isQuiet: Bool) {
        self.console = console
        self.isQuiet = isQuiet
    }

    func step(_ sentence: String) {
        count.withLock { count in
            count += 1
            write((count < 10 ? " " : "") + "\(count). " + sentence.printable + "\n")
        }
    }

    func step(_ event: FlowEvent) {
        if let sentence = event.sentence { step(sentence) }
    }

    func show(_ title: String, _ lines: String) {
        count.withLock { _ in write("\n\(title)\n\(lines)\n") }
    }

    func note(_ line: String) { console.note(line) }

    private func write(_ text: String) {
        if isQuiet {
            console.note(String(text.dropLast()))
        } else {
            // Nobody reading the steps is no reason to stop; the answer at the end will notice.
            try? console.print(text)
        }
    }
}

extension FlowEvent {
    /// What the demo says of it; `nil` for what another step says.
    fileprivate var sentence: String? {
        switch self {
        case .exchange(let report):
            "\(report.method) \(report.endpoint): \(report.outcome.words) (\(report.stage.rawValue))"
        case .checked: nil
        case .clockIsWrong(let offset): offset.description
        case .openedPage(let page): "A page opens: \(page)"
        case .redirectAccepted: "The redirect came back; its place, state and issuer are the ones asked for."
        case .signedIn: "Signed in: the ID token's signature, issuer, audience, nonce, times and hashes are right."
        case .restored: "The stored session was read."
        case .refreshed: "The tokens were renewed and stored."
        case .ended(.signedOut): "The session has ended here."
        case .ended(.endedByProvider): "The provider has ended the session."
        case .ended(.replaced): "Another sign-in has replaced the session."
        case .revocationFailed(let error): "The refresh token was not revoked: \(error.message)"
        @unknown default: "\(self)"
        }
    }
}
