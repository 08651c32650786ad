import ArgumentParser
import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer

/// `ostiary demo`: everything from discovery to sign-out, in one process, over real HTTP.
struct Demo: AnsweringCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show a sign-in at a local provider, step by step.",
        discussion: """
            Starts the development provider on a free port, signs in, refreshes the token,
            requests user info and signs out. The command fills in the pages itself; with
            --browser you do. With --system the provider imitates a vendor's system, and
            the command uses its front door.
            """
    )

    @Flag(help: "Sign in yourself, in your browser.")
    var browser = false

    @Option(
        help: ArgumentHelp(
            "The system: \(VendorSystem.allCases.map(\.rawValue).joined(separator: ", ")). (default: any provider's)",
            valueName: "name"
        )
    )
    var system: VendorSystem?

    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        if let system {
            return try await SystemDemo(
                system: system,
                isInBrowser: browser,
                console: console,
                isQuiet: output.json
            ).answer()
        }
        var random = SecureRandom()
        let development = try DevelopmentProvider(using: &random)
        let server = try await ProviderServer.start { issuer in
            let provider = Provider(
                configuration: try development.configuration(for: issuer),
                clock: .system,
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
            configuration: SignInClient.Configuration(
                userAgent: agent,
                transport: commandTransport,
                store: MemoryStore(),
                events: { narration.step($0) }
            )
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
