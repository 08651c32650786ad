import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryProvider
import ProviderServer

/// The documented story of a vendor's system, step by step, against its dialect.
struct SystemDemo {
    let system: VendorSystem
    let isInBrowser: Bool
    let console: Console
    let isQuiet: Bool

    /// Starts the provider, plays the story, and stops the provider.
    ///
    /// - Returns: The result of the story.
    func answer() async throws -> Answer {
        var random = SecureRandom()
        let development = DevelopmentSystem(system, using: &random)
        let server = try await ProviderServer.start { origin in
            var random = SecureRandom()
            let provider = Provider(
                configuration: try development.configuration(at: origin, using: &random),
                clock: .system,
                random: SecureRandom()
            )
            try await provider.prepare()
            return provider
        }
        do {
            let stage = DemoStage(
                origin: server.issuer,
                provider: server.provider,
                development: development,
                narration: Narration(console, isQuiet: isQuiet),
                isInBrowser: isInBrowser
            )
            stage.narration.step("The development provider speaks \(system.rawValue) at \(stage.issuer).")
            var members = try await story(on: stage)
            members["issuer"] = .string(stage.issuer.description)
            await server.stop()
            return Answer(members: members, text: "\nEverything worked.\n")
        } catch {
            await server.stop()
            throw error
        }
    }

    private func story(on stage: DemoStage) async throws -> JSONObject {
        switch system {
        case .curity: try await CurityStory(stage: stage).tell()
        case .logi: try await LogiStory(stage: stage).tell()
        case .logto: try await LogtoStory(stage: stage).tell()
        case .ssafy: try await SSAFYStory(stage: stage).tell()
        case .zephr: try await ZephrStory(stage: stage).tell()
        }
    }
}
