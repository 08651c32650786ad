import Foundation

/// The one simulated device a test process talks to. Tests script it, then call the ordinary platform API.
///
/// It follows each documented contract of the platform. For questions that a contract leaves open (which thread calls
/// back, whether `cancel()` reports, …) the choice is a knob in `Ambiguities`, so a test can run the same adapter
/// against every permitted behaviour instead of against our guess.
public final class SimulatedDevice: @unchecked Sendable {
    public static let shared = SimulatedDevice()

    public enum Lock: Sendable { case unlocked, locked, beforeFirstUnlock }
    public enum BiometryKind: Sendable { case none, touchID, faceID }
    public enum PromptAnswer: Sendable { case approve, cancel, fail, fallback }

    public struct Biometry: Sendable {
        public var kind: BiometryKind = .faceID
        public var enrolled = true
        public var lockedOut = false
        /// Changes whenever a face or finger is added or removed.
        public var enrollmentGeneration = 1
    }

    public struct Prompt: Sendable, Equatable {
        public let reason: String
        public let onMainThread: Bool
        public init(reason: String, onMainThread: Bool) {
            self.reason = reason
            self.onMainThread = onMainThread
        }
    }

    /// The app under test as the system sees it: signature, entitlements, associated domains.
    public struct App: Sendable {
        public var bundleIdentifier = "com.example.app"
        /// Whether the process is an app's: the tests of a package run in a process that has none.
        public var isHosted = true
        /// Keychain groups from the entitlements, default group first.
        public var keychainAccessGroups = ["TEAM000001.com.example.app"]
        /// App groups from the entitlements.
        public var appGroups: [String] = []
        /// The team that signed it, which keychain groups begin with.
        public var team = "TEAM000001"
        public var webCredentialDomains: Set<String> = []
        /// macOS: whether the signature carries the entitlements the data protection keychain asks for.
        public var hasDataProtectionKeychain = true
    }

    public struct Ambiguities: Sendable {
        /// Reports of ASWebAuthenticationSession arrive on a background queue (true) or the main one.
        public var webSessionReportsOffMain = true
        /// Whether a programmatic `cancel()` also calls the completion handler.
        public var webSessionReportsAfterCancel = true
        /// Whether a `start()` that returns false also calls the completion handler.
        public var webSessionReportsFailedStart = true
        /// A report can be followed by a second one (a late completion racing `cancel()`).
        public var webSessionReportsTwice = false
        /// A session that no object holds takes its sheet down; an iPhone's system was seen to hold it itself.
        public var releasedSessionTakesItsSheetDown = true
        /// A biometric item whose enrolment changed: gone, or present but unreadable.
        public var invalidatedItemIsGone = true
        /// An item that is sealed before the first unlock is reported as absent, rather than as not to be opened.
        public var sealedItemsLookAbsent = false
        /// An item can be deleted while it cannot be opened.
        public var deletesSealedItems = true
        /// A handle of another device's enclave is refused when a key is made of it, or only when that key signs.
        public var foreignHandleFailsAtUse = false
        /// The refusal of a signature with a key that is not to be opened now.
        public var lockedEnclaveReport = EnclaveReport.interactionNotAllowed
        /// The dates of an item are of whole seconds.
        public var keychainDatesAreCoarse = false
        /// The value of an item without octets counts as absent.
        public var emptyValueReadsAsNothing = true
    }

    public struct State: Sendable {
        #if SIMULATED_MAC
            public var isMac = true
        #else
            public var isMac = false
        #endif
        public var lock = Lock.unlocked
        public var passcodeSet = true
        public var biometry = Biometry()
        public var promptAnswers: [PromptAnswer] = []
        public var prompts: [Prompt] = []
        public var app = App()
        public var ambiguities = Ambiguities()
        /// https hosts whose links an installed app opens, and what happens then.
        public var universalLinkHosts: Set<String> = []
        public var openedURLs: [URL] = []
        /// macOS: the user is in another app; an iPhone's scenes say so themselves.
        public var isInAnotherApp = false
        /// The number of times that the app has looked for its windows.
        public var windowLooks = 0
        /// Misuse the real system would punish with a hang, a purple warning or a crash.
        public var violations: [String] = []
        public var hasSecureEnclave = true
        /// The enclave answers no call now.
        public var enclaveIsBusy = false
        public var web = WebSessions()
        public var background = BackgroundTasks()
        /// The folder of the files of this device's apps.
        var files = AppFolders.new()
        public var keychainFaults = KeychainFaults()
        public var appAttest = AppAttest()
        var enclave: [Data: EnclaveKey] = [:]
        public init() {}

        struct EnclaveKey: @unchecked Sendable {
            let key: AnyObject & Sendable
            let control: SimulatedAccessControl
            let biometryGeneration: Int
        }
    }

    private let mutex = NSRecursiveLock()
    private var state = State()
    private var engine = KeychainEngine()
    private var browserBox = SimulatedBrowser()
    private let waiters = SimulatedWaiters()

    public init() { AppFolders.moveHome() }

    public func reset(isMac: Bool = State().isMac) {
        mutex.withLock {
            state = State()
            state.isMac = isMac
            engine = KeychainEngine()
            browserBox = SimulatedBrowser()
        }
    }

    public func with<Value>(_ body: (inout State) throws -> Value) rethrows -> Value {
        defer { waiters.look() }
        return try mutex.withLock { try body(&state) }
    }

    /// Waits until the device is as a test expects it: it is looked at after each change.
    ///
    /// - Returns: Whether it is; `false` when the task was cancelled before.
    public func until(_ condition: @escaping @Sendable () -> Bool) async -> Bool { await waiters.until(condition) }

    /// Lets every waiting task look again.
    func changed() { waiters.look() }

    public var snapshot: State { mutex.withLock { state } }
    public var browser: SimulatedBrowser { mutex.withLock { browserBox } }

    public func violation(_ text: String) { with { $0.violations.append(text) } }

    // MARK: Life of a device

    public func reboot() { with { $0.lock = .beforeFirstUnlock } }
    public func lockScreen() {
        NotificationCenter.default.post(name: LifeCycleNotifications.protectedDataWillBecomeUnavailable, object: nil)
        with { if $0.lock == .unlocked { $0.lock = .locked } }
    }
    public func unlockScreen() {
        with { $0.lock = .unlocked }
        NotificationCenter.default.post(name: LifeCycleNotifications.protectedDataDidBecomeAvailable, object: nil)
    }

    public func changeBiometricEnrollment() { with { $0.biometry.enrollmentGeneration += 1 } }

    public func removePasscode() {
        mutex.withLock {
            state.passcodeSet = false
            state.biometry.enrolled = false
            engine.removeItems { $0.accessible == .whenPasscodeSetThisDeviceOnly }
        }
    }

    /// A backup restored onto another device: every ThisDeviceOnly item stays behind.
    public func restoreBackupOntoNewDevice() {
        mutex.withLock {
            engine.removeItems { $0.accessible.thisDeviceOnly }
            state.enclave = [:]
            state.appAttest.keys = [:]
        }
    }

    /// Apple moves the app to another team: what it keeps under the old team's prefix is no longer its own.
    public func transferApp(toTeam team: String) {
        with { state in
            let old = state.app.team + "."
            state.app.keychainAccessGroups = state.app.keychainAccessGroups.map {
                $0.hasPrefix(old) ? team + "." + $0.dropFirst(old.count) : $0
            }
            state.app.team = team
        }
    }

    public var keychainItemCount: Int { mutex.withLock { engine.items.count } }
    public func keychainItems() -> [KeychainItem] { mutex.withLock { engine.items } }

    // MARK: Used by the stand-in modules

    /// On Linux the main queue may be drained by any thread, so ask for the queue, not for the thread.
    public var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: Self.mainQueueMark) == true }
    private static let mainQueueMark: DispatchSpecificKey<Bool> = {
        let mark = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: mark, value: true)
        return mark
    }()

    func withEngine<Value>(_ body: (inout KeychainEngine, inout State) -> Value) -> Value {
        mutex.withLock { body(&engine, &state) }
    }

    /// Shows an authentication prompt and takes the next scripted answer.
    public func prompt(reason: String) -> PromptAnswer {
        let main = isOnMainQueue
        // A prompt may block for minutes; inside a task that starves the cooperative pool.
        if !main, withUnsafeCurrentTask(body: { $0 != nil }) {
            violation("authentication prompt blocks the cooperative pool")
        }
        return with { state in
            state.prompts.append(Prompt(reason: reason, onMainThread: main))
            if main { state.violations.append("authentication prompt blocks the main thread") }
            return state.promptAnswers.isEmpty ? .approve : state.promptAnswers.removeFirst()
        }
    }
}
