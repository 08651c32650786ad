import Foundation
import OstiaryJOSE
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("Recorded access tokens and the profiles of their servers")
struct AccessTokenReplayTests {
    /// A token as it came from a server, with that server's keys at that time.
    private struct Recorded {
        let name: String
        let token: String
        let claims: JSONObject
        let time: Date
        let keys: JSONWebKeySet
    }

    /// The signed tokens that one server's token endpoint gave out under a name, in all of its recordings.
    private func tokens(_ name: String, of server: String) throws -> [Recorded] {
        let recordings = try Recordings.names(of: server).map { ($0, try Recordings.named($0).exchanges) }
        let everyKey = recordings.flatMap { Self.keys(in: $1) }
        return recordings.flatMap { recording, exchanges -> [Recorded] in
            // A client that got no ID token fetched no keys; another recording of the server has them then.
            let own = Self.keys(in: exchanges)
            let keys = own.isEmpty ? everyKey : own
            return exchanges.compactMap { exchange in
                guard let body = exchange.response?.body, let object = try? JSONObject(parsing: body),
                    let token = object[name]?.string
                else { return nil }
                let parts = token.split(separator: ".")
                guard parts.count == 3, let payload = try? Base64URL.decode(String(parts[1])),
                    let claims = try? JSONObject(parsing: payload)
                else { return nil }
                return Recorded(
                    name: recording,
                    token: token,
                    claims: claims,
                    time: exchange.time,
                    keys: JSONWebKeySet(keys)
                )
            }
        }
    }

    private static func keys(in exchanges: [Recording.Exchange]) -> [JSONWebKey] {
        let sets = exchanges.compactMap { exchange in
            (exchange.response?.body).flatMap { try? JSONWebKeySet(parsing: $0) }
        }
        var keys: [JSONWebKey] = []
        for key in sets.flatMap(\.keys) where !keys.contains(key) { keys.append(key) }
        return keys
    }

    /// The check that refuses a token for the audience that it names itself; `nil` when it is accepted.
    private func verdict(_ recorded: Recorded, _ profile: AccessTokenProfile) throws -> AccessTokenVerdict {
        let issuer = try Issuer(recorded.claims["iss"]?.string ?? "")
        let audience = recorded.claims["aud"]?.string ?? recorded.claims["aud"]?.array?.first?.string ?? ""
        let policy = try AccessTokenPolicy(issuer: issuer, audience: audience, profile: profile)
        return AccessTokenVerifier(policy).verify(recorded.token, by: recorded.keys, now: recorded.time)
    }

    private static let servers: [(String, AccessTokenProfile, Int)] = [
        ("keycloak", .keycloak, 40), ("spring", .spring, 15), ("logto", .rfc9068, 2), ("oidc-provider", .rfc9068, 1),
        ("solid", .rfc9068, 1),
    ]

    @Test("A recorded access token passes its server's profile, up to the proof of its key", arguments: servers)
    func access(_ server: String, _ profile: AccessTokenProfile, _ least: Int) throws {
        let tokens = try tokens("access_token", of: server)
        #expect(tokens.count >= least)
        // The server of spring/device had other keys than that of the other recordings, and no client fetched them.
        for token in tokens where token.name != "spring/device" {
            switch try verdict(token, profile) {
            case .accepted(let accepted): #expect(accepted.issuer == token.claims["iss"]?.string)
            // The proofs' keys were not recorded: a bound token passes every other check before this one.
            case .refused(let refusal):
                #expect(refusal.check == .confirmation && token.claims["cnf"] != nil, "\(refusal.check) \(token.name)")
            }
        }
    }

    @Test("A recorded ID token is refused by its server's profile, for the audience that it names", arguments: servers)
    func identity(_ server: String, _ profile: AccessTokenProfile, _ least: Int) throws {
        let tokens = try tokens("id_token", of: server)
        #expect(tokens.count >= least)
        for token in tokens {
            guard case .refused(let refusal) = try verdict(token, profile) else {
                Issue.record("An ID token of \(server) passes for an access token.")
                continue
            }
            #expect(refusal.check == .type && refusal.form?.fitting == nil)
        }
    }

    @Test("A recorded ID token is refused by the profile of every server", arguments: servers)
    func everyProfile(_ server: String, _ own: AccessTokenProfile, _ least: Int) throws {
        for token in try tokens("id_token", of: server) {
            for profile in [.rfc9068, .keycloak, .okta, .auth0, .spring] as [AccessTokenProfile] {
                #expect(try verdict(token, profile).isRefused)
            }
        }
    }
}

extension AccessTokenVerdict {
    fileprivate var isRefused: Bool { if case .refused = self { true } else { false } }
}
