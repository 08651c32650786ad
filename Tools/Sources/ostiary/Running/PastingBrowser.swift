import Foundation
import Ostiary
import OstiaryOAuth

/// The system's browser; at a terminal, the address of its last page can be pasted as well.
///
/// The browser of a user who is signed in to this machine over SSH ends on a page of another machine. The listener here
/// never sees that visit, so the user carries the address over.
struct PastingBrowser: UserAgent {
    let browser: LoopbackBrowser
    let console: Console

    func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        let listening = try await browser.attempt(awaiting: redirectURI)
        guard LineOfInput.isTyped else { return listening }
        return UserAgentAttempt(
            redirectURI: listening.redirectURI,
            open: { (url: URL, predicate: RedirectPredicate) async throws(SignInError) -> URL in
                try await firstRedirect(of: listening, opening: url, accepting: predicate)
            },
            abandon: { await listening.abandon() }
        )
    }

    private func firstRedirect(
        of listening: UserAgentAttempt,
        opening url: URL,
        accepting predicate: RedirectPredicate
    ) async throws(SignInError) -> URL {
        let race = Race<URL>()
        let visit = Task {
            do {
                race.finish(.success(try await listening.open(url, accepting: predicate)))
            } catch {
                race.finish(.failure(error))
            }
        }
        let paste = Task {
            if let pasted = await pasted(to: listening.redirectURI, accepting: predicate) {
                race.finish(.success(pasted))
            }
        }
        defer {
            visit.cancel()
            paste.cancel()
        }
        do {
            return try await withTaskCancellationHandler {
                try await race.result()
            } onCancel: {
                // The listener ends with it, and so does the race.
                visit.cancel()
            }
        } catch let error as SignInError {
            throw error
        } catch {
            throw SignInError(.authorization, .cancelled)
        }
    }

    /// Reads lines until one is the redirect; `nil` at the end of the input.
    private func pasted(to redirectURI: RedirectURI, accepting predicate: RedirectPredicate) async -> URL? {
        while let line = try? await LineOfInput.read() {
            let text = line.trimmingCharacters(in: .whitespaces)
            if text.hasPrefix(redirectURI.description), let url = URL(string: text), predicate.accepts(url) {
                return url
            }
            if !text.isEmpty {
                console.note(
                    "That is not the address of the last page, which begins with \(redirectURI): paste all of it."
                )
            }
        }
        return nil
    }
}

/// A user agent that waits for a limited time.
struct TimedUserAgent: UserAgent {
    let next: any UserAgent
    let seconds: Int

    func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        let attempt = try await next.attempt(awaiting: redirectURI)
        return UserAgentAttempt(
            redirectURI: attempt.redirectURI,
            open: { (url: URL, predicate: RedirectPredicate) async throws(SignInError) -> URL in
                try await attempt.open(url, accepting: predicate, within: .seconds(seconds))
            },
            abandon: { await attempt.abandon() }
        )
    }
}

/// The reason that this process cannot open a browser.
enum BrowserProblem {
    /// The reason, such as "this is an SSH session"; `nil` where a browser can be tried.
    static var current: String? {
        // A browser that the user names is tried.
        guard Environment.value("BROWSER") == nil else { return nil }
        let isRemote = Environment.value("SSH_CONNECTION") != nil
        #if os(Linux)
            // Windows opens its own browser.
            guard Environment.value("WSL_DISTRO_NAME") == nil else { return nil }
            guard Environment.value("DISPLAY") == nil, Environment.value("WAYLAND_DISPLAY") == nil else { return nil }
            return isRemote ? "this is an SSH session" : "there is no display"
        #else
            return isRemote ? "this is an SSH session" : nil
        #endif
    }
}

extension Int {
    /// A number of seconds, in words.
    var inWords: String {
        func words(_ count: Int, _ unit: String) -> String { "\(count) \(unit)\(count == 1 ? "" : "s")" }
        if self >= 120, self % 60 == 0 { return words(self / 60, "minute") }
        return words(self, "second")
    }
}
