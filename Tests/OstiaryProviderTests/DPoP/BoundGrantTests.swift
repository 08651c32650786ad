import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@Suite("Bound tokens of devices, of clients and of exchanges")
struct BoundGrantTests {
    private static let notes = "https://notes.example"
    private let world: World
    private let prover: Prover

    init() throws {
        world = try World {
            $0.clients[0].grantTypes.insert(.tokenExchange)
            $0.resources = [ProviderResource(identifier: Self.notes, name: "Notes")]
        }
        prover = try Prover(world.clock)
    }

    private func ownTokens(_ change: (inout Parameters) -> Void = { _ in }) async throws -> ProviderResponse {
        var form = Parameters([
            .grantType: "client_credentials", .clientID: "service", .clientSecret: "served", .scope: "notes",
        ])
        change(&form)
        return await world.post("/token", form, fields: try prover.field())
    }

    private func exchange(
        _ token: String,
        as client: String,
        _ fields: HTTPFields,
        _ change: (inout Parameters) -> Void = { _ in }
    ) async -> ProviderResponse {
        var form = Parameters([
            .grantType: "urn:ietf:params:oauth:grant-type:token-exchange", .clientID: client, .subjectToken: token,
            .subjectTokenType: "urn:ietf:params:oauth:token-type:access_token",
        ])
        if client == "service" { form[.clientSecret] = "served" }
        change(&form)
        return await world.post("/token", form, fields: fields)
    }

    @Test("A client's own token is bound, and for the resource that it names")
    func clientCredentials() async throws {
        let tokens = try Tokens(await ownTokens { $0[.resource] = Self.notes })
        #expect(tokens.response["token_type"] == "DPoP")
        let claims = try await world.verifiedClaims(tokens.access)
        #expect(claims["cnf"] == ["jkt": .string(prover.thumbprint)])
        #expect(claims["aud"] == .string(Self.notes))
        let unknown = try await ownTokens { $0[.resource] = "https://unknown.example" }
        #expect(unknown.error == "invalid_target")
    }

    @Test("A device's tokens are bound, the refresh token too")
    func device() async throws {
        let device = try await Device(at: world)
        _ = try await device.decide(.accept)
        var form = Parameters([.clientID: "tv", .deviceCode: device.code])
        form[.grantType] = "urn:ietf:params:oauth:grant-type:device_code"
        let resource = await world.post("/token", Parameters(form, .resource, Self.notes), fields: try prover.field())
        #expect(resource.error == "invalid_target")
        let tokens = try Tokens(await world.post("/token", form, fields: try prover.field()))
        #expect(tokens.response["token_type"] == "DPoP")
        let token = try #require(tokens.refresh)
        #expect(await world.refresh(token, [:]) { $0[.clientID] = "tv" }.error == "invalid_dpop_proof")
        #expect(await world.refresh(token, try prover.field()) { $0[.clientID] = "tv" }.status == .ok)
    }

    @Test("An exchanged token is bound to the key of the exchange")
    func exchanged() async throws {
        let response = await exchange(try await world.tokens().access, as: "service", try prover.field())
        let token = try Tokens(response)
        #expect(token.response["token_type"] == "DPoP")
        #expect(try await world.userInfo(token.access, prover).status == .ok)
        #expect(await world.userInfo(token.access).status == .unauthorized)
    }

    @Test("A public client cannot exchange a bound token without its key")
    func thief() async throws {
        let token = try await world.boundTokens(prover).access
        #expect(await exchange(token, as: "app", [:]).error == "invalid_dpop_proof")
        #expect(await exchange(token, as: "app", try Prover(world.clock).field()).error == "invalid_grant")
        #expect(await exchange(token, as: "app", try prover.field()).status == .ok)
        #expect(await exchange(token, as: "service", [:]).status == .ok)
    }

    @Test("A public client's exchanged refresh token is bound too")
    func exchangedRefresh() async throws {
        let response = await exchange(try await world.tokens().access, as: "app", try prover.field()) {
            $0[.requestedTokenType] = "urn:ietf:params:oauth:token-type:refresh_token"
        }
        let token = try Tokens(response).access
        #expect(await world.refresh(token, [:]).error == "invalid_dpop_proof")
    }

    @Test("An exchanged token can be for a resource, and is then not for user info")
    func exchangedResource() async throws {
        let response = await exchange(try await world.tokens().access, as: "service", [:]) {
            $0[.resource] = Self.notes
        }
        let token = try Tokens(response).access
        #expect(try await world.verifiedClaims(token)["aud"] == .string(Self.notes))
        #expect(await world.userInfo(token).status == .unauthorized)
    }

    @Test("Introspection returns the thumbprint of a bound token's key")
    func introspection() async throws {
        let token = try Tokens(await ownTokens()).access
        let form = Parameters([.clientID: "service", .clientSecret: "served", .token: token])
        let answer = await world.post("/introspect", form).json
        #expect(answer?["token_type"] == "DPoP")
        #expect(answer?["cnf"] == ["jkt": .string(prover.thumbprint)])
    }
}

extension Parameters {
    fileprivate init(_ other: Parameters, _ name: Name, _ value: String) {
        self = other
        append(value, for: name)
    }
}
