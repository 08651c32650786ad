import Foundation
import Ostiary
import OstiaryOAuth

/// Keeps a token current as long as a program runs.
struct Renewal: Sendable {
    let session: Session
    let target: ResourceIndicator?
    /// How long each token has to be good for at least, in seconds.
    let minimumValidity: Double

    /// Hands over each new token; it ends when it is cancelled, or when the session has.
    func run(telling console: Console, _ deliver: @Sendable (Secret) throws(UsageError) -> Void) async {
        var last = session.accessTokenExpiry(for: target)
        var isToldOf = false
        while session.end == nil, let expiry = last {
            // The margin is more than a request takes, and a token that lives for less is asked for once a second.
            let wait = max(expiry.timeIntervalSinceNow - minimumValidity, 1)
            do { try await Task.sleep(for: .seconds(min(wait, 3600))) } catch { return }
            guard expiry.timeIntervalSinceNow < minimumValidity + 0.5 else { continue }
            do {
                let token = try await session.accessToken(for: target, minimumValidity: minimumValidity + 1)
                try deliver(token)
                last = session.accessTokenExpiry(for: target)
                isToldOf = false
            } catch {
                // The command goes on with the token that it has; once is enough to say so.
                if !isToldOf { console.note("ostiary: the token could not be renewed: \(Self.words(error).printable)") }
                isToldOf = true
                do { try await Task.sleep(for: .seconds(5)) } catch { return }
            }
        }
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case let error as SignInError: error.description
        case let error as UsageError: error.message
        default: "\(type(of: error))"
        }
    }
}
