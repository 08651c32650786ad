import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Our own client at the provider")
struct OwnClientTests {
    @Test("The library client signs in, reads user info, refreshes and revokes at the provider")
    func wholeWay() async throws {
        let client = try OwnClient(.none)
        let tokens = try await client.signIn()
        #expect(tokens.identity?.subject == "subject-of-alice")
        let keys = try await client.keys()
        let info = try await client.perform(UserInfoRequest(tokens, client: client.client, server: client.server()))
        #expect(try info.validated(by: keys, now: client.world.clock.now).claims["name"] == "Alice Adams")
        client.world.clock.advance(by: .seconds(1000))
        let refreshed = try await client.refresh(tokens)
        #expect(refreshed.accessToken != tokens.accessToken)
        let token = try #require(refreshed.refreshToken)
        try await client.perform(
            RevocationRequest(token, kind: .refreshToken, client: client.client, server: client.server())
        )
        await #expect(throws: SignInError.self) { try await client.refresh(refreshed) }
    }

    @Test(
        "The library client accepts every unusual but valid response of the provider",
        arguments: [
            Scenario.fractionalDates, .absentKeyID, .tokenTypeCase, .missingScope, .missingLifetime, .unknownMembers,
            .unknownKeyType, .keyRotation, .refreshWithoutIDToken, .noRotation, .unannouncedIssuer,
            .missingAccessTokenHash,
        ]
    )
    func accepted(scenario: Scenario) async throws {
        let client = try OwnClient(scenario)
        let tokens = try await client.signIn()
        client.world.clock.advance(by: .seconds(10))
        _ = try await client.refresh(tokens)
    }

    @Test(
        "The library client rejects every faulty sign-in of the provider",
        arguments: [
            Scenario.invalidIssuer, .missingIssuer, .invalidAudience, .missingAudience, .secondAudience,
            .invalidAuthorizedParty, .missingSubject, .emptySubject, .missingIssuedAt, .staleIssuedAt, .futureIssuedAt,
            .missingExpiry, .expired, .invalidNonce, .missingNonce, .invalidAccessTokenHash, .invalidSignature,
            .unsigned,
            .symmetricSignature, .unknownKeyID, .criticalHeader, .issuerMismatch, .missingResponseIssuer,
            .invalidResponseIssuer, .missingState, .invalidState, .repeatedState, .repeatedCode, .missingCode,
            .missingTokenType, .otherTokenType, .missingAccessToken, .missingIDToken, .htmlInsteadOfJSON,
            .truncatedJSON,
            .repeatedMember, .redirectingTokenEndpoint, .unavailable,
        ]
    )
    func refused(scenario: Scenario) async throws {
        let client = try OwnClient(scenario)
        await #expect(throws: SignInError.self) { try await client.signIn() }
    }

    @Test(
        "The library client rejects every faulty refresh, and accepts the sign-in before it",
        arguments: [
            Scenario.refreshInvalidIssuer, .refreshInvalidSubject, .refreshInvalidAudience, .refreshUnexpectedNonce,
            .refreshInvalidAuthenticationTime,
        ]
    )
    func refusedRefresh(scenario: Scenario) async throws {
        let client = try OwnClient(scenario)
        let tokens = try await client.signIn()
        client.world.clock.advance(by: .seconds(10))
        await #expect(throws: SignInError.self) { try await client.refresh(tokens) }
    }

    @Test(
        "The library client rejects user info of another user",
        arguments: [Scenario.userInfoInvalidSubject, .userInfoMissingSubject, .invalidSubject]
    )
    func refusedUserInfo(scenario: Scenario) async throws {
        let client = try OwnClient(scenario)
        let tokens = try await client.signIn()
        let keys = try await client.keys()
        let info = try await client.perform(UserInfoRequest(tokens, client: client.client, server: client.server()))
        #expect(throws: SignInError.self) { try info.validated(by: keys, now: client.world.clock.now) }
    }
}

/// The client's messages, sent to a provider in the same process.
private struct OwnClient {
    let world: World
    let client: Client

    init(_ scenario: Scenario) throws {
        world = try World(scenario: scenario)
        client = try Client(id: "app", redirectURI: RedirectURI(Fixtures.redirectURI))
    }

    func perform<E: Exchange & ~Copyable>(_ exchange: borrowing E) async throws -> E.Output {
        let request = try exchange.request()
        let response = await world.provider.respond(
            to: ProviderRequest(
                method: request.method,
                path: request.url.path,
                fields: request.allFields,
                body: request.body ?? []
            )
        )
        let body = world.provider.body(of: response)
        return try exchange.output(from: EndpointResponse(status: response.status, fields: response.fields, body: body))
    }

    func server() async throws -> AuthorizationServer {
        try await perform(ServerMetadataRequest(try Issuer(Fixtures.issuer)))
    }
    func keys() async throws -> JSONWebKeySet {
        guard case .keys(let keys) = try await perform(KeySetRequest(try await server())).content else {
            throw SignInError(.keys, .malformed("the key set"))
        }
        return keys
    }

    func signIn() async throws -> TokenSet {
        let server = try await server()
        var random = CountingGenerator(state: 99)
        let pending = try AuthorizationRequest().prepared(for: client, at: server, using: &random)
        let query = pending.url.absoluteString.split(separator: "?", maxSplits: 1)
        let request = try #require(FormURLEncoding.decode(query[1]))
        let location = try #require(try await world.browser().signIn(request).fields[.location])
        let grant = try pending.grant(from: try #require(URL(string: location)))
        let response = try await perform(TokenRequest(grant, client: client, server: server))
        return try response.validated(by: try await keys(), now: world.clock.now)
    }

    func refresh(_ tokens: TokenSet) async throws -> TokenSet {
        let server = try await server()
        let response = try await perform(TokenRequest(try RefreshGrant(tokens), client: client, server: server))
        return try response.validated(by: try await keys(), now: world.clock.now)
    }
}
