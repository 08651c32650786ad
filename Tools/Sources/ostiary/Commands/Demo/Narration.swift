import Ostiary
import OstiaryOAuth
import Synchronization

/// Prints the demo's steps, numbered, as they happen.
final class Narration: Sendable {
    let console: Console
    private let isQuiet: Bool
    private let count = Mutex(0)

    /// With `isQuiet` the steps are notes beside an answer for programs.
    init(_ console: Console, isQuiet: Bool) {
        self.console = console
        self.isQuiet = isQuiet
    }

    func step(_ sentence: String) {
        count.withLock { count in
            count += 1
            write((count < 10 ? " " : "") + "\(count). " + sentence.printable + "\n")
        }
    }

    func step(_ event: SignInEvent) {
        if let sentence = event.sentence { step(sentence) }
    }

    func show(_ title: String, _ lines: String) {
        count.withLock { _ in write("\n\(title)\n\(lines)\n") }
    }

    func note(_ line: String) { console.note(line) }

    private func write(_ text: String) {
        if isQuiet {
            console.note(String(text.dropLast()))
        } else {
            // A closed output does not stop the demo; the final answer reports it.
            try? console.print(text)
        }
    }
}

extension SignInEvent {
    /// The sentence for the event; `nil` when another step covers it.
    fileprivate var sentence: String? {
        switch self {
        case .exchange(let report):
            "\(report.method) \(report.endpoint): \(report.outcome.words) (\(report.stage.rawValue))"
        case .checked: nil
        case .clockIsWrong(let offset): offset.description
        case .openedPage(let page): "A page opens: \(page)"
        case .redirectAccepted: "The redirect came back; its URI, state and issuer match the request."
        case .signedIn: "Signed in: the ID token's signature, issuer, audience, nonce, times and hashes are right."
        case .notRenewable: "The session cannot be renewed: the provider issued no refresh token."
        case .storageFailed(let error): "The new tokens are not stored yet: \(error.message)"
        case .restored: "The stored session was read."
        case .refreshed: "The tokens were renewed and stored."
        case .ended(.userAction): "The session has ended here."
        case .ended(.revoked): "The provider has ended the session."
        case .ended(.expired): "The session has ended: its refresh token is too old."
        case .ended(.lostRotation): "The session has ended: the answer to a refresh was lost."
        case .ended(.removedElsewhere): "Another process has ended the session."
        case .ended(.replaced): "A new sign-in has replaced the session."
        case .ended: "The session has ended."
        case .revocationFailed(let error): "The refresh token was not revoked: \(error.message)"
        @unknown default: "\(self)"
        }
    }
}
