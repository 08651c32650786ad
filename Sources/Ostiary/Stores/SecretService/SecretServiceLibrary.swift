#if os(Linux)
    import CSecretService
    import Dispatch
    import OstiaryCompatibility

    /// The library that talks to the keyring: loaded by the first call, and used by one thread at a time.
    final class SecretServiceLibrary: Sendable {
        private enum State {
            case unknown
            /// The library's address: a pointer cannot be passed between threads, and the library is never unloaded.
            case loaded(UInt)
            case missing(String)
        }

        private let name: String
        private let state = Lock(State.unknown)
        private let queue = DispatchQueue(label: "Ostiary keyring")

        init(named name: String) { self.name = name }

        /// Makes a call outside the thread pool of asynchronous functions.
        ///
        /// `deadline` is the time from now on; the call is then cancelled, and abandoned a second later.
        func call<Output: Sendable>(
            within deadline: Duration,
            _ body: @escaping @Sendable (SecretServiceCall) -> (SecretServiceCall.Status, Output)
        ) async throws(SecretServiceStore.Problem) -> Output {
            let answer = OneResult<Output>()
            let cancellation = CallCancellation()
            queue.async { [self] in
                do throws(SecretServiceStore.Problem) {
                    let library = try load()
                    // The caller no longer waits for it.
                    guard let cancellable = cancellation.begin(library) else { return }
                    defer { cancellation.end() }
                    let (status, output) = body(SecretServiceCall(library: library, cancellable: cancellable))
                    answer.set(Self.problem(of: status).map { .failure($0) } ?? .success(output))
                } catch {
                    answer.set(.failure(error))
                }
            }
            let (timer, end) = (DispatchQueue.global(), DispatchTime.now() + deadline.inSeconds)
            timer.asyncAfter(deadline: end) { cancellation.cancel() }
            timer.asyncAfter(deadline: end + 1) { answer.set(.failure(.timedOut)) }
            return try await answer.value()
        }

        private func load() throws(SecretServiceStore.Problem) -> OpaquePointer {
            let loaded: State = state.withLock { state in
                if case .unknown = state {
                    var missing: UnsafePointer<CChar>?
                    if let library = ostiary_secret_open(name, &missing) {
                        state = .loaded(UInt(bitPattern: library))
                    } else {
                        state = .missing(missing.map { String(cString: $0) } ?? name)
                    }
                }
                return state
            }
            switch loaded {
            case .loaded(let address):
                guard let library = OpaquePointer(bitPattern: address) else { throw .failed }
                return library
            case .missing(let what): throw .missing(what)
            case .unknown: throw .failed
            }
        }

        private static func problem(of status: SecretServiceCall.Status) -> SecretServiceStore.Problem? {
            switch status {
            case OSTIARY_SECRET_DONE: nil
            case OSTIARY_SECRET_LOCKED: .locked
            case OSTIARY_SECRET_NO_BUS: .noBus
            case OSTIARY_SECRET_NO_SERVICE: .noService
            case OSTIARY_SECRET_CANCELLED: .timedOut
            default: .failed
            }
        }
    }

    /// Cancels one call from another thread, and never a later call.
    private final class CallCancellation: Sendable {
        private enum State {
            case waiting
            case running(library: UInt, cancellable: UInt)
            case over
        }

        private let state = Lock(State.waiting)

        /// - Returns: The object that cancels the call; `nil` when the call has been cancelled already.
        func begin(_ library: OpaquePointer) -> UnsafeMutableRawPointer? {
            let address: UInt? = state.withLock { state in
                guard case .waiting = state, let cancellable = ostiary_secret_cancellable(library) else { return nil }
                let address = UInt(bitPattern: cancellable)
                state = .running(library: UInt(bitPattern: library), cancellable: address)
                return address
            }
            return address.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
        }

        func cancel() {
            state.withLock { state in
                switch state {
                case .waiting: state = .over
                case .running(let library, let cancellable):
                    guard let library = OpaquePointer(bitPattern: library) else { return }
                    ostiary_secret_cancel(library, UnsafeMutableRawPointer(bitPattern: cancellable))
                case .over: break
                }
            }
        }

        func end() {
            state.withLock { state in
                if case .running(let library, let cancellable) = state,
                    let library = OpaquePointer(bitPattern: library)
                {
                    ostiary_secret_release(library, UnsafeMutableRawPointer(bitPattern: cancellable))
                }
                state = .over
            }
        }
    }

    /// The first of several results; later ones are dropped.
    private final class OneResult<Output: Sendable>: Sendable {
        private enum State {
            case empty
            case awaited(CheckedContinuation<Result<Output, SecretServiceStore.Problem>, Never>)
            case there(Result<Output, SecretServiceStore.Problem>)
            case taken
        }

        private let state = Lock(State.empty)

        func set(_ result: Result<Output, SecretServiceStore.Problem>) {
            let waiter: CheckedContinuation<Result<Output, SecretServiceStore.Problem>, Never>? = state.withLock {
                state in
                switch state {
                case .empty:
                    state = .there(result)
                    return nil
                case .awaited(let continuation):
                    state = .taken
                    return continuation
                case .there, .taken: return nil
                }
            }
            waiter?.resume(returning: result)
        }

        func value() async throws(SecretServiceStore.Problem) -> Output {
            let result: Result<Output, SecretServiceStore.Problem> = await withCheckedContinuation { continuation in
                let result: Result<Output, SecretServiceStore.Problem>? = state.withLock { state in
                    if case .there(let result) = state {
                        state = .taken
                        return result
                    }
                    state = .awaited(continuation)
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
            return try result.get()
        }
    }
#endif
