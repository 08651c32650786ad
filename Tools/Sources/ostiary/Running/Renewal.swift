import Foundation
import Ostiary
import OstiaryOAuth

/// Keeps a token current as long as a program runs.
struct Renewal: Sendable {
    let session: Session
    let target: ResourceIndicator?
    /// The minimum remaining validity of each token.
    let minimumValidity: Duration
    let clock: IssuerClock

    /// Hands over each new token; it ends when it is cancelled, or when the session has.
    ///
    /// `first` is the token that the program has already.
    func run(
        from first: Secret,
        telling console: Console,
        _ deliver: @Sendable (Secret) throws(UsageError) -> Void
    ) async {
        var delivered = first
        var isToldOf = false
        while session.end == nil {
            await clock.ask()
            guard let schedule else { return }
            do { try await clock.sleep(for: min(schedule.wait(at: clock.now), .seconds(3600))) } catch { return }
            guard schedule.isDue(at: clock.now) else { continue }
            do {
                let token = try await session.accessToken(for: AccessTokenTarget(target), insteadOf: delivered)
                // A server may give the same one again, which the program has.
                if token != delivered { try deliver(token) }
                delivered = token
                isToldOf = false
            } catch {
                // The command goes on with the token that it has; once is enough to say so.
                if !isToldOf { console.note("ostiary: the token could not be renewed: \(Self.words(error).printable)") }
                isToldOf = true
                do { try await clock.sleep(for: .seconds(5)) } catch { return }
            }
        }
    }

    /// Of the token that the session has; `nil` when it is not known to expire.
    private var schedule: RenewalSchedule? {
        guard let token = session.tokens.access(for: target), let expiry = token.expiry else { return nil }
        return RenewalSchedule(expiry: expiry, lifetime: token.lifetime, minimumValidity: minimumValidity)
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case let error as SignInError: error.description
        case let error as UsageError: error.message
        default: "\(type(of: error))"
        }
    }
}
