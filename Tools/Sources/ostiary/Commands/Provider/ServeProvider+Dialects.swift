import ArgumentParser
import Foundation
import Logging
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer

/// The dialects to serve.
enum DialectChoice: ExpressibleByArgument, Sendable {
    case one(VendorSystem)
    case all

    /// The possible values, for the help.
    static let names = (VendorSystem.allCases.map(\.rawValue) + ["all"]).joined(separator: ", ")

    init?(argument: String) {
        if argument == "all" {
            self = .all
        } else if let system = VendorSystem(rawValue: argument) {
            self = .one(system)
        } else {
            return nil
        }
    }

    var systems: [VendorSystem] {
        switch self {
        case .one(let system): [system]
        case .all: VendorSystem.allCases
        }
    }
}

extension ServeProvider {
    /// Serves each dialect at a port of its own until it is stopped; all have one password.
    func serve(_ choice: DialectChoice, on console: Console) async throws {
        var random = SecureRandom()
        let given = try passwordFile.map { try SecretSource.file($0).secret(console: console) }
        let password = given ?? DevelopmentSystem(choice.systems[0], using: &random).password
        var running: [(development: DevelopmentSystem, server: RunningProvider)] = []
        do {
            for (place, system) in choice.systems.enumerated() {
                let development = DevelopmentSystem(system, password: password, using: &random)
                let first = port ?? Self.defaultPort
                let server = try await start(development, at: first == 0 ? 0 : first + place, on: console)
                running.append((development, server))
            }
            try announce(running, password: given == nil ? password : nil, on: console)
            // Each ends at a signal.
            for (_, server) in running { try await server.untilStopped() }
        } catch {
            for (_, server) in running { await server.stop() }
            throw error
        }
    }

    private func start(
        _ development: DevelopmentSystem,
        at port: Int,
        on console: Console
    ) async throws -> RunningProvider {
        let log = ProviderLog(console: console, form: options.log)
        return try await ProviderServer.start(
            at: .loopback(port: port),
            ending: .onSignals,
            logger: Logger(label: "ostiary.provider", factory: { _ in log })
        ) { origin in
            var random = SecureRandom()
            let provider = Provider(
                configuration: try development.configuration(at: origin, cost: .insecureForTests, using: &random),
                clock: .system,
                random: SecureRandom(),
                events: { log.report($0) }
            )
            try await provider.prepare()
            return provider
        }
    }

    private func announce(
        _ running: [(development: DevelopmentSystem, server: RunningProvider)],
        password: Secret?,
        on console: Console
    ) throws {
        guard !output.json else {
            var members: JSONObject = ["password": password.map { .string($0.reveal()) } ?? .null]
            var dialects = JSONObject()
            for (development, server) in running {
                var members: JSONObject = [
                    "origin": .string(server.issuer.description),
                    "issuer": .string(server.provider.configuration.issuer.description),
                    "clientID": .string(server.provider.configuration.clients.first?.id ?? ""),
                    "user": .string(development.userName),
                ]
                if development.hasBackend { members["backendSecret"] = .string(development.backendSecret.reveal()) }
                dialects[development.system.rawValue] = .object(members)
            }
            members["dialects"] = .object(dialects)
            return try console.print(Answer(members: members, text: "").json + "\n")
        }
        var text = "The development provider listens. Stop it with Ctrl-C.\n\n"
        for (development, server) in running {
            var table = ClaimsTable()
            table.add("issuer", server.provider.configuration.issuer.description)
            table.add("client id", server.provider.configuration.clients.first?.id ?? "")
            table.add("user", development.userName)
            if development.hasBackend { table.add("backend secret", development.backendSecret.reveal()) }
            text += "\(development.system.rawValue)\n\(table.text)\n"
        }
        if let password { text += "The password of every user is \(password.reveal())\n" }
        console.note(text)
    }
}
