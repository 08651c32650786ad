import OstiaryCompatibility
import OstiaryOAuth
import Testing

@testable import OstiaryPostgreSQL

@Suite("A connection of the PostgreSQL store and its links", .timeLimit(.minutes(5)))
struct PostgreSQLLinkTests {
    @Test("A statement is sent over a new link when the idle one had ended, and once only")
    func endedWhileIdle() async throws {
        let network = ScriptedNetwork()
        let connection = try connection(to: "one", over: network)
        try await connection.perform(ask)
        network.links[0].end()
        try await connection.perform(ask)
        #expect(network.opened == ["one", "one"])
        #expect(network.links.map(\.statements) == [["ask"], ["ask"]])
    }

    @Test("A link that ends between two statements of one call is not replaced: the transaction was on it")
    func endedInBetween() async throws {
        let network = ScriptedNetwork()
        let connection = try connection(to: "one", over: network)
        await #expect(throws: PostgreSQLFailure.connectionLost(during: "ask")) {
            try await connection.perform { connection async throws(PostgreSQLFailure) in
                try await connection.transaction { () async throws(PostgreSQLFailure) in
                    network.links[0].end()
                    try await ask(connection)
                }
            }
        }
        #expect(network.links.map(\.statements) == [["begin"]])
        try await connection.perform(ask)
        #expect(network.links.map(\.statements) == [["begin"], ["ask"]])
    }

    @Test("A failed body rolls its transaction back; a connection that cannot roll back is closed")
    func rollBack() async throws {
        let network = ScriptedNetwork()
        let connection = try connection(to: "one", over: network)
        let failing = { @Sendable (connection: PostgreSQLConnection) async throws(PostgreSQLFailure) in
            try await connection.transaction { () async throws(PostgreSQLFailure) in
                throw .refused("ask", state: "23505")
            }
        }
        await #expect(throws: PostgreSQLFailure.refused("ask", state: "23505")) {
            try await connection.perform(failing)
        }
        #expect(network.links.map(\.statements) == [["begin", "roll back"]])
        network.links[0].refuse("roll back")
        await #expect(throws: PostgreSQLFailure.refused("ask", state: "23505")) {
            try await connection.perform(failing)
        }
        #expect(!network.links[0].isOpen)
    }

    @Test("The host that accepted the last connection is the first to be tried for the next one")
    func favorite() async throws {
        let network = ScriptedNetwork()
        network.refuse("one")
        let connection = try connection(to: "one,two", over: network)
        try await connection.perform(ask)
        network.links[0].end()
        try await connection.perform(ask)
        #expect(network.opened == ["one", "two", "two"])
    }

    @Test("A cancelled call stops trying to connect")
    func cancelled() async throws {
        let network = ScriptedNetwork()
        network.refuse("one")
        let connection = try connection(to: "one", over: network) { $0.connectTime = .seconds(600) }
        let call = Task { try await connection.perform(ask) }
        call.cancel()
        await #expect(throws: PostgreSQLFailure.unreachable("one is down.")) { try await call.value }
    }

    @Test("A script is split at the semicolons that end a line, and nowhere else")
    func script() {
        let statements = PostgreSQLStatement.script(
            "change",
            """
            CREATE TABLE a (b text DEFAULT ';');
            -- One; two.
            CREATE INDEX c ON a (b);
            """
        )
        #expect(
            statements.map(\.text) == [
                "CREATE TABLE a (b text DEFAULT ';')", "-- One; two.\nCREATE INDEX c ON a (b);",
            ]
        )
    }

    @Sendable
    private func ask(_ connection: PostgreSQLConnection) async throws(PostgreSQLFailure) {
        try await connection.execute(PostgreSQLStatement("ask", "SELECT 1"))
    }

    private func connection(
        to hosts: String,
        over network: ScriptedNetwork,
        _ change: (inout PostgreSQLConfiguration) -> Void = { _ in }
    ) throws -> PostgreSQLConnection {
        var configuration = try PostgreSQLConfiguration(host: hosts, database: "app", user: "app", security: .none)
        change(&configuration)
        return PostgreSQLConnection(
            configuration,
            names: NameLookup { _ in .addresses(["192.0.2.1"]) },
            connect: network.connect
        )
    }
}

/// Hosts without a network.
private final class ScriptedNetwork: Sendable {
    private let state = Lock<(opened: [String], links: [ScriptedLink], down: Set<String>)>(([], [], []))

    var opened: [String] { state.withLock { $0.opened } }
    var links: [ScriptedLink] { state.withLock { $0.links } }

    func refuse(_ host: String) { state.withLock { _ = $0.down.insert(host) } }

    @Sendable
    func connect(
        _ configuration: PostgreSQLConfiguration,
        _ path: PostgreSQLPath
    ) async throws(PostgreSQLFailure) -> any PostgreSQLLink {
        let link = state.withLock { state -> ScriptedLink? in
            state.opened.append(path.host)
            guard !state.down.contains(path.host) else { return nil }
            let link = ScriptedLink()
            state.links.append(link)
            return link
        }
        guard let link else { throw .unreachable("\(path.host) is down.") }
        return link
    }
}

private final class ScriptedLink: PostgreSQLLink {
    private let state = Lock<(statements: [String], refused: Set<String>, isOpen: Bool, isEnded: Bool)>(
        ([], [], true, false)
    )

    var statements: [String] { state.withLock { $0.statements } }
    /// An ended link looks open until it is used.
    var isOpen: Bool { state.withLock { $0.isOpen } }

    func end() { state.withLock { $0.isEnded = true } }
    func refuse(_ statement: String) { state.withLock { _ = $0.refused.insert(statement) } }

    func execute(
        _ statement: PostgreSQLStatement,
        _ values: [PostgreSQLValue],
        within time: Duration
    ) async throws(PostgreSQLFailure) -> [PostgreSQLRow]? {
        let isRefused = state.withLock { state -> Bool? in
            guard !state.isEnded else {
                state.isOpen = false
                return nil
            }
            state.statements.append(statement.name)
            return state.refused.contains(statement.name)
        }
        guard let isRefused else { return nil }
        if isRefused { throw .refused(statement.name, state: "XX000") }
        return []
    }

    func close() async { state.withLock { $0.isOpen = false } }
}
