import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryServer
import OstiaryTesting

extension Stage {
    func discover(_ arguments: Arguments) async throws -> JSONObject {
        if let resource = arguments["resource"] {
            let found = try await replay.transport.perform(
                ResourceMetadataRequest(try ResourceIndicator(resource)),
                in: context
            )
            return ["resource": .string(found.resource.description)]
        }
        let issuer =
            if let identifier = arguments["identifier"] {
                try await replay.transport.perform(try IssuerDiscoveryRequest(identifier), in: context)
            } else {
                try Issuer(arguments["issuer"] ?? "")
            }
        return ["issuer": .string(try await server(of: issuer).issuer.description)]
    }

    func server(of issuer: Issuer) async throws(SignInError) -> AuthorizationServer {
        do throws(SignInError) {
            return try await replay.transport.perform(ServerMetadataRequest(issuer), in: context)
        } catch {
            guard error.reason == .server(status: 404) else { throw error }
            return try await replay.transport.perform(ServerMetadataRequest(issuer, form: .oauth), in: context)
        }
    }

    func keys(of issuer: Issuer) async throws -> JSONWebKeySet {
        let fetch = KeySetRequest(try await server(of: issuer))
        guard case .keys(let keys) = try await replay.transport.perform(fetch, in: context).content else {
            throw SignInError(.keys, .malformed("the key set"))
        }
        return keys
    }

    /// Checks the access token that the command before it printed.
    ///
    /// Logout tokens came to a listener of their own and are not in the recordings: there only the keys are read.
    func verify(_ arguments: Arguments, in step: Recording.Step) async throws -> JSONObject {
        let issuer = try Issuer(arguments["issuer"] ?? "")
        let keys = try await keys(of: issuer)
        guard arguments["type"] == "access_token", let token = lastToken else {
            return ["count": .integer(keys.keys.count)]
        }
        let policy = try AccessTokenPolicy(issuers: [issuer], audience: arguments["audience"] ?? "")
        switch AccessTokenVerifier(policy).verify(token.reveal(), by: keys, now: replay.now) {
        case .accepted(let token): return ["claims": .object(token.claims)]
        case .refused(let refusal):
            throw SignInError(.identity, .mismatch(SignInError.Check(rawValue: refusal.check.rawValue) ?? .type))
        }
    }

    /// Logto's own commands, by the client that its front door is made of.
    func logto(_ verb: String, _ arguments: Arguments, in step: Recording.Step) async throws -> JSONObject {
        let name = arguments["profile"] ?? "default"
        switch verb {
        case "login":
            let profile = Profile(
                issuer: try Issuer((arguments["endpoint"] ?? "") + "/oidc"),
                client: try Client(
                    id: arguments["app-id"] ?? "",
                    redirectURI: try RedirectURI(arguments["redirect-uri"] ?? "")
                )
            )
            let request = AuthorizationRequest(
                scopes: Scope.list("openid offline_access profile " + (arguments["scope"] ?? "")),
                prompt: [.consent],
                resources: try arguments.all("resource").map { try ResourceIndicator($0) },
                pushing: .never
            )
            let session = try await client(profile, named: name, in: step).signIn(request)
            profiles[name] = profile
            return ["claims": .object(session.identity?.claims ?? [:])]
        case "claims":
            return ["claims": .object(try await session(of: arguments, in: step).identity?.claims ?? [:])]
        case "userinfo":
            return ["claims": .object(try await session(of: arguments, in: step).userInfo().claims)]
        case "token":
            let target =
                if let organization = arguments["organization"] {
                    try AccessTokenTarget(parameters: ["organization_id": organization])
                } else {
                    AccessTokenTarget(try arguments["resource"].map { try ResourceIndicator($0) })
                }
            let token = try await session(of: arguments, in: step).accessToken(for: target)
            return ["accessToken": .string(token.reveal())]
        default:
            let redirectURI = try arguments["redirect-uri"].map { try RedirectURI($0) }
            let report = try await session(of: arguments, in: step).signOut(endingProviderSessionAt: redirectURI)
            profiles[name] = nil
            return ["endedProviderSession": .bool(report.endedProviderSession)]
        }
    }
}
