import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Synchronization

/// The provider's record of the refreshes.
final class StressWitness: Sendable {
    /// The secrets that the provider issued.
    let secrets = StressSecrets()

    private struct Seen {
        /// The number of times each refresh token was presented.
        var shown: [String: Int] = [:]
        var refreshes = 0
        var refusals = 0
    }

    private let seen = Mutex(Seen())

    var refreshes: Int { seen.withLock { $0.refreshes } }
    var refusals: Int { seen.withLock { $0.refusals } }
    /// The number of refresh tokens that were presented more than once.
    var shownAgain: Int { seen.withLock { $0.shown.values.count { $0 > 1 } } }

    /// The strict provider, watched.
    var scenario: Scenario {
        Scenario(name: "watched") { scenario in
            scenario.tokenResponse = { object, _ in
                for name in ["access_token", "refresh_token", "id_token"] { self.secrets.add(object[name]?.string) }
            }
            scenario.response = { request, response in
                guard request.path.hasSuffix("/token"),
                    let form = FormURLEncoding.decode(String(decoding: request.body, as: UTF8.self)),
                    form[.grantType] == "refresh_token", let token = form[.refreshToken]
                else { return }
                let isGood = response.status == .ok
                self.seen.withLock { seen in
                    seen.shown[token, default: 0] += 1
                    if isGood { seen.refreshes += 1 } else { seen.refusals += 1 }
                }
            }
        }
    }
}
