import ArgumentParser
import Backend
import BackendConnections
import Foundation
import Logging
import OstiaryOAuth

/// The command line `ostiary-backend`.
@main
struct BackendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ostiary-backend",
        abstract: "A service that redeems apps' codes and protects routes with access tokens.",
        discussion: """
            One configuration file has all settings; secrets are in files or variables that
            it names. docs/backend.md describes it.

            EXAMPLES
              ostiary-backend check --config backend.json
              ostiary-backend migrate --config backend.json
              ostiary-backend serve --config backend.json
              ostiary-backend forget --config backend.json --subject 248289761001
            """,
        version: "0.1.0",
        subcommands: [Serve.self, Migrate.self, Check.self, Forget.self]
    )
}

/// The file that every command reads.
struct ConfigurationOption: ParsableArguments {
    @Option(help: ArgumentHelp("The configuration file. (default: $OSTIARY_BACKEND_CONFIG)", valueName: "file"))
    var config: String?

    func path() throws -> String {
        guard let path = config ?? ProcessInfo.processInfo.environment["OSTIARY_BACKEND_CONFIG"] else {
            throw ValidationError("Name the configuration file: --config FILE, or OSTIARY_BACKEND_CONFIG.")
        }
        return path
    }

    func configuration() throws -> BackendConfiguration { try BackendConfiguration(contentsOf: path()) }
}

extension BackendConfiguration {
    /// Checks everything that needs no connection.
    fileprivate func check() async throws {
        try await BackendServer.check(self, requests: RequestStore.valkey)
        let quiet = Logger(label: "ostiary.backend", factory: { _ in SwiftLogNoOpLogHandler() })
        _ = try ServiceTracing.otlp(self, logger: quiet)
    }
}

/// `ostiary-backend serve`.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Serve until SIGINT or SIGTERM, then finish open requests; SIGHUP reloads secrets and certificate."
    )

    @OptionGroup var file: ConfigurationOption
    @Flag(help: "Only check the configuration, like the command check.") var checkConfig = false

    func run() async throws {
        let configuration = try file.configuration()
        if checkConfig { return try await configuration.check() }
        let logger = Logger.json(label: "ostiary.backend", level: configuration.logLevel)
        defer { Logger.flushJSON() }
        let server = try await BackendServer.start(
            configuration,
            ending: .onSignals,
            requests: RequestStore.valkey,
            tracing: ServiceTracing.otlp(configuration, logger: logger),
            logger: logger
        )
        let path = try file.path()
        await server.reloadOnHangUp(reading: { try BackendConfiguration(contentsOf: path) }, logger: logger)
        logger.notice("listening", metadata: ["port": .stringConvertible(server.port)])
        try await server.untilStopped()
    }
}

/// `ostiary-backend migrate`.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Migrate the database's tables to the version of this program."
    )

    @OptionGroup var file: ConfigurationOption

    func run() async throws {
        let store = try BackendStore(file.configuration().store)
        do {
            try await store.migrate()
            try await store.check()
        } catch {
            await store.close()
            throw error
        }
        await store.close()
        print("The tables have the version of this program.")
    }
}

/// `ostiary-backend check`.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the configuration and the files that it names, without any connection."
    )

    @OptionGroup var file: ConfigurationOption

    func run() async throws {
        let configuration = try file.configuration()
        try await configuration.check()
        for warning in configuration.warnings { print("Warning: \(warning)") }
        print("The configuration is valid.")
    }
}

/// `ostiary-backend forget`.
struct Forget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "End every session of a user, revoke the tokens, and remove the stored verification."
    )

    @OptionGroup var file: ConfigurationOption
    @Option(parsing: .unconditional, help: "The user's identifier at the issuer (sub).") var subject: String
    @Option(help: "The issuer. (default: the only one of the configuration)") var issuer: String?

    func run() async throws {
        let configuration = try file.configuration()
        let logger = Logger.json(label: "ostiary.backend", level: configuration.logLevel)
        defer { Logger.flushJSON() }
        let issuer = try issuer.map { try Issuer($0) }
        let done = try await BackendServer.forget(subject, at: issuer, configuration, logger: logger)
        print("Ended \(done.sessions) \(done.sessions == 1 ? "session" : "sessions").")
        if done.hadVerification { print("Removed the verification.") }
    }
}
