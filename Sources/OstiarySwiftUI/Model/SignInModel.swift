#if canImport(SwiftUI)
    public import Foundation
    public import Observation
    public import Ostiary

    /// Whether somebody is signed in, for the whole of an app.
    ///
    /// Make one where the app begins, outside the views: what it says, and what it still has to tell the person, then stays
    /// when views come and go.
    ///
    ///     @State private var model = SignInModel(SignInSource(client))
    ///     …
    ///     ContentView(model).signIn(model)
    ///
    /// One thing is done at a time. A person who closes the sign-in page is back where they were, and nothing is said.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    @MainActor @Observable
    public final class SignInModel<Account: Sendable> {
        /// Where the app and the person are.
        public private(set) var state: SignInState<Account> = .restoring
        /// What the person has not been told yet; ``SwiftUICore/View/signIn(_:)`` shows it.
        public private(set) var failure: SignInFailure?
        /// The window that the sign-in page is to appear at.
        public let window: SignInWindow

        @ObservationIgnored private let source: Result<SignInSource<Account>, any Error>
        /// The last state in which nothing was under way: where a closed page leads back to.
        @ObservationIgnored private var settled: SignInState<Account> = .restoring
        @ObservationIgnored private var running: Task<Void, Never>?
        @ObservationIgnored private var watching: Task<Void, Never>?

        /// Makes a model that has not looked for a session yet.
        ///
        /// - Parameters:
        ///   - window: Which window the user agent shows pages at, if it asks for one.
        ///   - source: Makes what signs in. What it throws, an error of configuration, is what every attempt fails with.
        public init(
            window: SignInWindow = SignInWindow(),
            _ source: @autoclosure () throws -> SignInSource<Account>
        ) {
            self.window = window
            self.source = Result { try source() }
        }

        /// Looks for a stored session: at the start, and after a device was unlocked.
        ///
        /// Nothing is sent.
        public func restore() async {
            await waitForTurn()
            guard settled.account == nil else { return }
            await perform(.restore, as: .restoring) { source in
                guard let account = try await source.restore() else { return .signedOut }
                return .signedIn(account, .current)
            }
        }

        /// Asks the person to sign in; joins a sign-in that is under way.
        ///
        /// Nobody is asked whom a look for a session, which was under way, has found to be signed in. When the task that waits
        /// is cancelled, so is the sign-in.
        public func signIn() async {
            let wasSignedIn = settled.account != nil
            while let running {
                if case .signingIn = state { return await join(running) }
                await running.value
            }
            guard wasSignedIn || settled.account == nil else { return }
            await perform(.signIn, as: .signingIn) { source in .signedIn(try await source.signIn(), .current) }
        }

        /// Ends the session; does nothing when nobody is signed in.
        public func signOut() async {
            await waitForTurn()
            guard let account = settled.account else { return }
            await perform(.signOut, as: .signingOut) { source in
                try await source.signOut(account)
                return .signedOut
            }
        }

        /// Asks the person to sign in, without waiting: a view that goes does not end it.
        public func startSignIn() { Task { await signIn() } }

        /// Ends the session, without waiting.
        public func startSignOut() { Task { await signOut() } }

        /// Closes the sign-in page.
        public func cancelSignIn() { if case .signingIn = state { running?.cancel() } }

        /// Takes note that the person has been told.
        public func dismissFailure() {
            failure = nil
            guard case .failed = settled else { return }
            // What is under way goes on, and shows itself.
            if running == nil { settle(.signedOut) } else { settled = .signedOut }
        }

        /// Takes a URL that the app was opened with.
        ///
        /// - Returns: Whether a sign-in waited for it; any other URL is the app's own.
        @discardableResult
        public func open(_ url: URL) -> Bool { (try? source.get())?.open(url) ?? false }

        /// Looks again when the app comes to the front: the device may have been unlocked meanwhile.
        func cameToFront() {
            Task {
                await waitForTurn()
                // Whoever was first has looked.
                switch settled {
                case .restoring, .locked: await restore()
                default: break
                }
            }
        }

        /// Whether the person has to be told something.
        var hasFailure: Bool {
            get { failure != nil }
            set { if !newValue { dismissFailure() } }
        }

        // MARK: One thing at a time

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
                // Nobody has looked yet, and the person has waited for long enough.
                if case .restoring = settled, occasion == .signIn { settle(.signedOut) } else { state = settled }
            case .unlock where occasion == .restore: settle(.locked)
            default:
                self.failure = failure
                // Who was signed in still is.
                if settled.account == nil { settle(.failed(failure)) } else { state = settled }
            }
        }

        // MARK: What becomes of a session

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
        /// Who is signed in, as the issuer said it: the claims of the checked ID token.
        ///
        /// They are there without a network, too.
        public var claims: JSONObject? { state.account?.identity?.claims }
    }
#endif
