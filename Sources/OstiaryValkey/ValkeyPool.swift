#if Valkey
    import Logging
    import OstiaryCompatibility
    import Valkey

    /// The connections to one server, with a time limit on everything.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    final class ValkeyPool: Sendable {
        /// A client of valkey-swift, and the task that it runs in.
        private struct Running: Sendable {
            let client: ValkeyClient
            let task: Task<Void, Never>
            let start = ContinuousClock.now
        }

        private enum State: Sendable {
            case idle
            case running(Running)
            case closed
        }

        private let settings: ValkeySettings
        private let limit: Duration
        private let state = Lock(State.idle)
        /// The age from which a client without a connection is replaced.
        ///
        /// Its own pauses between attempts grow to a minute;
        /// at this age they are about a second.
        private static let age = Duration.seconds(5)

        init(_ configuration: ValkeyConfiguration) {
            settings = ValkeySettings(configuration)
            limit = configuration.timeLimit
        }

        deinit { close() }

        /// Carries out a command within the time limit.
        func run<Command: ValkeyCommand>(
            _ purpose: String,
            _ command: Command
        ) async throws(ValkeyFailure) -> Command.Response where Command.Response: Sendable {
            try await limited(.timedOut(purpose)) { await self.attempt(purpose, command) }
        }

        /// The server's description by itself (`INFO`), asked for on a connection of its own.
        ///
        /// The pool keeps the reason of a failed connection to itself.
        func information() async throws(ValkeyFailure) -> INFO.Response {
            try await limited(.unreachable("there was no answer within \(limit)")) { await self.ask() }
        }

        /// Closes the connections.
        func close() {
            let running = state.withLock { state -> Running? in
                defer { state = .closed }
                if case .running(let running) = state { return running }
                return nil
            }
            running?.task.cancel()
        }

        /// Returns the first of a body's result and the end of the time limit.
        ///
        /// A caller that is cancelled does not cancel the body: the connection would have to be closed.
        private func limited<Value: Sendable>(
            _ late: ValkeyFailure,
            _ body: @escaping @Sendable () async -> Result<Value, ValkeyFailure>
        ) async throws(ValkeyFailure) -> Value {
            let (results, continuation) = AsyncStream<Result<Value, ValkeyFailure>>.makeStream()
            let work = Task { continuation.yield(await body()) }
            let timer = Task { [limit] in
                try await Task.sleep(for: limit)
                work.cancel()
                continuation.yield(.failure(late))
            }
            for await result in results {
                timer.cancel()
                return try result.get()
            }
            throw late
        }

        private func attempt<Command: ValkeyCommand>(
            _ purpose: String,
            _ command: Command
        ) async -> Result<Command.Response, ValkeyFailure> where Command.Response: Sendable {
            do {
                let client = try client()
                do {
                    let response = try await client.withConnection { connection in
                        do throws(ValkeyClientError) {
                            return try await connection.execute(command)
                        } catch {
                            // The server has become a replica; a new connection may lead to the one in its place.
                            if error.word == "READONLY" { connection.close() }
                            throw error
                        }
                    }
                    return .success(response)
                } catch {
                    let failure = ValkeyFailure(error, during: purpose, isConnecting: false)
                    if case .unreachable = failure { replace(client) }
                    throw failure
                }
            } catch {
                return .failure(ValkeyFailure(error, during: purpose, isConnecting: false))
            }
        }

        private func ask() async -> Result<INFO.Response, ValkeyFailure> {
            let purpose = "describe the server"
            do {
                let response = try await ValkeyConnection.withConnection(
                    address: settings.address,
                    configuration: try settings.connection(),
                    logger: settings.logger
                ) { connection in
                    do throws(ValkeyClientError) {
                        return try await connection.execute(INFO())
                    } catch {
                        throw ValkeyFailure(error, during: purpose, isConnecting: false)
                    }
                }
                return .success(response)
            } catch {
                return .failure(ValkeyFailure(error, during: purpose, isConnecting: true))
            }
        }

        /// The client that runs.
        ///
        /// - Throws: `closed` after the end.
        private func client() throws -> ValkeyClient {
            try state.withLock { state in
                switch state {
                case .closed: throw ValkeyFailure.closed
                case .running(let running): return running.client
                case .idle:
                    let client = try settings.client()
                    state = .running(Running(client: client, task: Task { await client.run() }))
                    return client
                }
            }
        }

        /// Lets the next call begin with a new client, if this one is old enough.
        private func replace(_ client: ValkeyClient) {
            let old = state.withLock { state -> Running? in
                guard case .running(let running) = state, running.client === client,
                    ContinuousClock.now - running.start > Self.age
                else { return nil }
                state = .idle
                return running
            }
            old?.task.cancel()
        }
    }
#endif
