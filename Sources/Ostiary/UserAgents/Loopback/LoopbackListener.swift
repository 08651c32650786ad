#if os(Linux) || os(macOS)
    import Foundation
    import OstiaryCompatibility
    import OstiaryOAuth

    /// A port on this machine that awaits one redirect.
    ///
    /// The port is taken by the initializer, served by a thread of its own from `start` on, and free again once it is
    /// closed.
    final class LoopbackListener: Sendable {
        /// The redirect URI with the port that was taken.
        let redirectURI: RedirectURI

        private enum Phase {
            case ready
            case serving
            case closed
        }

        private struct State {
            var phase = Phase.ready
            var reason: SignInError?
        }

        private let sockets: [Int32]
        private let wakeEnds: (read: Int32, write: Int32)
        private let appName: String
        private let limits: LoopbackLimits
        private let state = Lock(State())
        private let outcome = OneAnswer<Result<URL, SignInError>>()
        private let end = OneAnswer<Void>()

        /// Takes the port.
        ///
        /// - Throws: `configuration` at stage `authorization` when the redirect URI is not on loopback, the port cannot
        ///   be taken, or the process has no file descriptor left.
        init(for redirectURI: RedirectURI, appName: String, limits: LoopbackLimits) throws(SignInError) {
            guard redirectURI.isLoopback, let host = redirectURI.parts.authority?.host else {
                throw Self.wrong(
                    "The browser on this machine can hand back a redirect to http://127.0.0.1, http://[::1] or "
                        + "http://localhost only: register such a redirect URI."
                )
            }
            let sockets = try Self.listen(on: host, port: redirectURI.port)
            guard let wakeEnds = LoopbackSocket.wakePipe() else {
                sockets.forEach(LoopbackSocket.close)
                throw Self.wrong("This process has too many files open to listen for the redirect.")
            }
            let port = LoopbackSocket.port(of: sockets[0])
            self.redirectURI = redirectURI.port == nil ? redirectURI.withPort(port) ?? redirectURI : redirectURI
            self.sockets = sockets
            self.wakeEnds = wakeEnds
            self.appName = appName
            self.limits = limits
        }

        deinit {
            // The attempt was neither opened nor abandoned.
            if state.withLock({ $0.phase == .ready }) { closeDescriptors() }
        }

        /// Starts to serve.
        ///
        /// - Parameters:
        ///   - entry: The address that leads the browser to the page; `nil` for none.
        ///   - predicate: Accepts the visit to the redirect URI that is the answer.
        /// - Throws: `configuration` when the listener was started or closed before.
        func start(with entry: LoopbackEntry?, accepting predicate: RedirectPredicate) throws(SignInError) {
            let isFirst = state.withLock { state in
                guard state.phase == .ready else { return false }
                state.phase = .serving
                return true
            }
            guard isFirst else { throw Self.wrong("An attempt opens one URL: make another attempt for another.") }
            // A connection from before the URL was opened cannot answer it.
            for socket in sockets {
                while let early = LoopbackSocket.accept(from: socket) { LoopbackSocket.close(early) }
            }
            let thread = Thread { [self] in
                var server = LoopbackConnections(
                    listeners: sockets,
                    wake: wakeEnds.read,
                    reception: LoopbackReception(
                        redirectURI: redirectURI,
                        appName: appName,
                        limits: limits,
                        accepting: predicate,
                        entry: entry
                    ),
                    limits: limits,
                    answered: { [outcome] in outcome.set(.success($0)) },
                    failed: { [self] in stop(because: $0) }
                )
                server.run()
                finish()
            }
            thread.name = "Ostiary loopback listener"
            thread.stackSize = 1 << 19
            thread.start()
        }

        /// Returns the redirect; if it throws, the port is free again.
        func answer() async throws(SignInError) -> URL {
            let result = await withTaskCancellationHandler {
                await outcome.value()
            } onCancel: {
                stop(because: SignInError(.authorization, .cancelled))
            }
            return try result.get()
        }

        /// Ends the listener without an answer, unless it has one.
        func stop(because reason: SignInError) {
            let wasReady = state.withLock { state in
                switch state.phase {
                case .closed: return false
                case .ready:
                    state.phase = .closed
                    return true
                case .serving:
                    state.reason = state.reason ?? reason
                    // Under the lock: the thread closes the pipe under it.
                    LoopbackSocket.wake(wakeEnds.write)
                    return false
                }
            }
            if wasReady {
                closeDescriptors()
                outcome.set(.failure(reason))
                end.set(())
            }
        }

        /// Ends the listener, and returns when the port is free.
        func close() async {
            stop(because: SignInError(.authorization, .cancelled))
            await end.value()
        }

        /// Waits until the listener has ended by itself.
        func closed() async { await end.value() }

        var isClosed: Bool { state.withLock { $0.phase == .closed } }

        private func finish() {
            let reason = state.withLock { state in
                state.phase = .closed
                closeDescriptors()
                return state.reason
            }
            outcome.set(.failure(reason ?? SignInError(.authorization, .cancelled)))
            end.set(())
        }

        private func closeDescriptors() {
            sockets.forEach(LoopbackSocket.close)
            LoopbackSocket.close(wakeEnds.read)
            LoopbackSocket.close(wakeEnds.write)
        }

        // MARK: Taking the port

        /// Listens on a host; for `localhost`, on both address families.
        ///
        /// A browser tries either family first, and another program could take the port in the family that is left out.
        private static func listen(on host: String, port: Int?) throws(SignInError) -> [Int32] {
            do throws(LoopbackSocket.Failure) {
                switch host {
                case "[::1]": return [try LoopbackSocket.listen(on: .ipv6, port: port ?? 0)]
                case "localhost": return try listenOnBoth(port: port)
                default: return [try LoopbackSocket.listen(on: .ipv4, port: port ?? 0)]
                }
            } catch {
                throw wrong(error.sentence)
            }
        }

        private static func listenOnBoth(port: Int?) throws(LoopbackSocket.Failure) -> [Int32] {
            var triesLeft = 16
            while true {
                triesLeft -= 1
                let ipv4 = try LoopbackSocket.listen(on: .ipv4, port: port ?? 0)
                do throws(LoopbackSocket.Failure) {
                    return [ipv4, try LoopbackSocket.listen(on: .ipv6, port: LoopbackSocket.port(of: ipv4))]
                } catch {
                    if error.isUnknownFamily { return [ipv4] }
                    LoopbackSocket.close(ipv4)
                    // A free port of one family may be taken in the other: let the system choose again.
                    guard port == nil, error.isPortInUse, triesLeft > 0 else { throw error }
                }
            }
        }

        private static func wrong(_ sentence: String) -> SignInError {
            SignInError(.authorization, .configuration(sentence))
        }
    }

    extension LoopbackSocket.Failure {
        var isPortInUse: Bool { code == EADDRINUSE }
        /// This machine has no such address.
        var isUnknownFamily: Bool { code == EAFNOSUPPORT || code == EADDRNOTAVAIL }

        fileprivate var sentence: String {
            if isPortInUse {
                return
                    "Port \(port) on \(address.rawValue) is in use by another program: end that program, or register a "
                    + "redirect URI without a port."
            }
            if code == EACCES {
                return
                    "Port \(port) on \(address.rawValue) is for the system's own programs: use a port above 1023, or none."
            }
            return "Port \(port) on \(address.rawValue) cannot be listened on (error \(code))."
        }
    }

    /// The listeners of one user agent that have their answer and still have to serve their last page.
    final class LingeringListeners: Sendable {
        private let listeners = Lock<[LoopbackListener]>([])

        func add(_ listener: LoopbackListener) {
            listeners.withLock { listeners in
                listeners.removeAll(where: \.isClosed)
                listeners.append(listener)
            }
        }

        /// Closes the listeners, so that the next attempt finds a fixed port free.
        func close() async {
            for listener in takeAll() { await listener.close() }
        }

        /// Waits until each listener has served its page or given up.
        func settle() async {
            for listener in takeAll() { await listener.closed() }
        }

        private func takeAll() -> [LoopbackListener] {
            listeners.withLock { listeners in
                defer { listeners = [] }
                return listeners
            }
        }
    }
#endif
