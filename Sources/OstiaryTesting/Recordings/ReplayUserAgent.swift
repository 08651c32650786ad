import HTTPTypes
public import Ostiary
import OstiaryCompatibility
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Replay {
    /// The user agent that returns the recorded redirects.
    public var userAgent: ReplayUserAgent { ReplayUserAgent(replay: self) }

    /// The port of the next recorded redirect.
    fileprivate func nextPort(for redirectURI: RedirectURI) -> Int? {
        guard let parts = URIParts(redirectURI.description) else { return nil }
        return state.withLock { state in
            for (index, exchange) in recording.exchanges.enumerated() where !state.past.contains(index) {
                guard let redirect = exchange.redirect, redirect.goes(to: parts) else { continue }
                return redirect.authority?.port.flatMap(Int.init)
            }
            return nil
        }
    }

    /// The recorded redirect of the page.
    fileprivate func redirect(from url: URL, to redirectURI: RedirectURI) -> URL? {
        guard let parts = URIParts(redirectURI.description) else { return nil }
        let place = ExchangeKey.place(of: url)
        let exchanges = recording.exchanges
        return state.withLock { state in
            let open = exchanges.indices.filter { !state.past.contains($0) && exchanges[$0].isPage }
            var page = open.first { ExchangeKey.place(of: exchanges[$0].url) == place }
            // A page that belongs to a later sign-in: of this one the redirect alone was recorded.
            if let found = page, signIns.contains(where: { $0.isBare(in: open, before: found) }) { page = nil }
            let following = open.drop { $0 < page ?? 0 }
            let end = following.dropFirst().first { isAnotherSignIn($0, than: page) } ?? exchanges.endIndex
            guard
                let index = following.first(where: {
                    $0 < end && exchanges[$0].redirect.map { $0.goes(to: parts) } == true
                }), let location = exchanges[index].response?.fields[.location]
            else {
                if let page { state.take(page, of: exchanges) }
                return nil
            }
            for page in following where page <= index { state.take(page, of: exchanges) }
            let recorded = page.flatMap { FormURLEncoding.decode(URIParts(exchanges[$0].url)?.query ?? "")?["state"] }
            return URL(string: Self.redirect(location, from: url, recordedState: recorded))
        }
    }

    /// Whether an exchange begins another sign-in than that of a page.
    private func isAnotherSignIn(_ index: Int, than page: Int?) -> Bool {
        page != nil && index != page && signIns.contains { ($0.page ?? $0.redirect) == index }
    }

    /// A recorded redirect with the current `state`, if the recorded server returned the `state` of its request.
    private static func redirect(_ location: String, from url: URL, recordedState: String?) -> String {
        guard let sent = FormURLEncoding.decode(URIParts(url)?.query ?? "")?["state"],
            var parameters = FormURLEncoding.decode(URIParts(location)?.query ?? ""),
            let returned = parameters["state"], returned != sent,
            // A sign-out whose page was not recorded: its redirect holds nothing but the state.
            returned == recordedState ?? (parameters["code"] == nil && parameters["error"] == nil ? returned : nil)
        else { return location }
        parameters["state"] = sent
        return location.prefix { $0 != "?" } + "?" + FormURLEncoding.encode(parameters)
    }
}

/// The user agent of a ``Replay``: it opens nothing, and returns the redirects of the recording in order.
public struct ReplayUserAgent: UserAgent {
    let replay: Replay

    /// Accepts any redirect URI; a loopback URI without a port gets the recorded port.
    public func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        var awaited = redirectURI
        if redirectURI.isLoopback, redirectURI.port == nil, let port = replay.nextPort(for: redirectURI) {
            awaited = redirectURI.withPort(port) ?? redirectURI
        }
        let settled = awaited
        return UserAgentAttempt(
            redirectURI: settled,
            open: { [replay] (url: URL, _: RedirectPredicate) async throws(SignInError) -> URL in
                guard !Task.isCancelled else { throw SignInError(.authorization, .cancelled) }
                // No redirect was recorded: the page stayed open until the user gave up.
                guard let redirect = replay.redirect(from: url, to: settled) else {
                    throw SignInError(.authorization, .timedOut)
                }
                return redirect
            }
        )
    }
}
