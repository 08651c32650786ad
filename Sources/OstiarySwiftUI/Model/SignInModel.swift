#if canImport(SwiftUI)
    public import Foundation
    public import Observation
    public import Ostiary

    /// The sign-in of a whole app: its state, its actions and its last failure.
    ///
    /// Make one where the app begins, outside the views, so that the state and an unread failure stay when views come
    /// and go.
    ///
    ///     @State private var model = SignInModel(SignInSource(client))
    ///     …
    ///     ContentView(model).signIn(model)
    ///
    /// The model runs one action at a time. A user who closes the sign-in page returns to the state before it, without
    /// a message.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    @MainActor @Observable
    public final class SignInModel<Account: Sendable> {
        /// The state of the sign-in.
        public private(set) var state: SignInState<Account> = .restoring
        /// The failure that the user has not dismissed yet; ``SwiftUICore/View/signIn(_:)`` presents it.
        public private(set) var failure: SignInFailure?
        /// The window that presents the sign-in page.
        public let window: SignInWindow

        @ObservationIgnored private let source: Result<SignInSource<Account>, any Error>
        /// The last state without an action under way, to which a closed page returns.
        @ObservationIgnored private var settled: SignInState<Account> = .restoring
        @ObservationIgnored private var running: Task<Void, Never>?
        @ObservationIgnored private var watching: Task<Void, Never>?

        /// Makes a model that has not looked for a session yet.
        ///
        /// - Parameters:
        ///   - window: The window for a user agent that presents pages at one.
        ///   - source: Makes the source of sign-ins. An error that it throws is one of configuration, and fails every
        ///     attempt.
        public init(
            window: SignInWindow = SignInWindow(),
            _ source: @autoclosure () throws -> SignInSource<Account>
        ) {
            self.window = window
            self.source = Result { try source() }
        }

        /// Looks for a stored session; call it at the start, and after the device was unlocked.
        ///
        /// It sends nothing.
        public func restore() async {
            await waitForTurn()
            guard settled.account == nil else { return }
            await perform(.restore, as: .restoring) { source in
                guard let account = try await source.restore() else { return .signedOut }
                return .signedIn(account, .current)
            }
        }

        /// Presents the sign-in page to the user, or joins a sign-in that is under way.
        ///
        /// If a search for a stored session is under way and finds one, no page is presented. Cancelling the task that
        /// waits also cancels the sign-in.
        public func signIn() async {
            let wasSignedIn = settled.account != nil
            while let running {
                if case .signingIn = state { return await join(running) }
                await running.value
            }
            guard wasSignedIn || settled.account == nil else { return }
            await perform(.signIn, as: .signingIn) { source in .signedIn(try await source.signIn(), .current) }
        }

        /// Ends the session; does nothing when no user is signed in.
        public func signOut() async {
            await waitForTurn()
            guard let account = settled.account else { return }
            await perform(.signOut, as: .signingOut) { source in
                try await source.signOut(account)
                return .signedOut
            }
        }

        /// Starts a sign-in without waiting; it continues when the view disappears.
        public func startSignIn() { Task { await signIn() } }

        /// Starts a sign-out without waiting.
        public func startSignOut() { Task { await signOut() } }

        /// Cancels the sign-in, which closes its page.
        public func cancelSignIn() { if case .signingIn = state { running?.cancel() } }

        /// Records that the user has dismissed the failure.
        public func dismissFailure() {
            failure = nil
            guard case .failed = settled else { return }
            // An action under way continues, and sets the state itself.
            if running == nil { settle(.signedOut) } else { settled = .signedOut }
        }

        /// Passes a URL that the app was opened with to the sign-in that awaits it.
        ///
        /// - Returns: Whether a sign-in took it; every other URL is the app's own.
        @discardableResult
        public func open(_ url: URL) -> Bool { (try? source.get())?.open(url) ?? false }

        /// Looks again when the app becomes active: the device may have been unlocked meanwhile.
        func cameToFront() {
            Task {
                await waitForTurn()
                // Another caller may have looked meanwhile.
                switch settled {
                case .restoring, .locked: await restore()
                default: break
                }
            }
        }

        /// Whether there is a failure to present.
        var hasFailure: Bool {
            get { failure != nil }
            set { if !newValue { dismissFailure() } }
        }

        // MARK: One action at a time

        private func waitForTurn() async { while let running { await running.value } }

        private func join(_ task: Task<Void, Never>) async {
            await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
        }

        private func perform(
            _ occasion: SignInFailure.Occasion,
            as busy: SignInState<Account>,
            _ work: @escaping @Sendable (SignInSource<Account>) async throws -> SignInState<Account>
        ) async {
            failure = nil
            state = busy
            let task = Task {
                do {
                    settle(try await work(try source.get()))
                } catch {
                    settle(after: error, occasion)
                }
                running = nil
            }
            running = task
            await join(task)
        }

        private func settle(_ new: SignInState<Account>) {
            settled = new
            state = new
            watching?.cancel()
            if case .signedIn(let account, _) = new { watch(account) }
        }

        private func settle(after error: any Error, _ occasion: SignInFailure.Occasion) {
            let failure = SignInFailure(error, occasion)
            switch failure.advice {
            case .nothing:
                // The app has not looked for a session yet, and the user has waited for long enough.
                if case .restoring = settled, occasion == .signIn { settle(.signedOut) } else { state = settled }
            case .unlock where occasion == .restore: settle(.locked)
            default:
                self.failure = failure
                // A user who was signed in still is.
                if settled.account == nil { settle(.failed(failure)) } else { state = settled }
            }
        }

        // MARK: Changes of a session

        private func watch(_ account: Account) {
            guard let changes = (try? source.get())?.changes(account) else { return }
            watching = Task { [weak self] in
                for await change in changes {
                    guard !Task.isCancelled, let self else { return }
                    self.apply(change, to: account)
                }
            }
        }

        private func apply(_ change: SignInSource<Account>.Change, to account: Account) {
            let isShown = running == nil
            switch change {
            case .current: settled = .signedIn(account, .current)
            case .stale: settled = .signedIn(account, .stale)
            case .closed: settled = .signedOut
            case .ended:
                settled = .signedOut
                if isShown { failure = SignInFailure(SignInError(.refresh, .signInRequired), .sessionEnd) }
            }
            if isShown { state = settled }
        }
    }

    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    extension SignInModel where Account == Session {
        /// The claims of the validated ID token, by which the issuer describes the user.
        ///
        /// They are available without a network as well.
        public var claims: JSONObject? { state.account?.identity?.claims }
    }
#endif
