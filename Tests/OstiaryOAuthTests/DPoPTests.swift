import Foundation
import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import Testing

@testable import OstiaryOAuth

@Suite("Proof of possession")
struct DPoPTests {
    private static let key = try! DPoPKey.generate(.es256)

    private static func client(_ authentication: ClientAuthentication = .none) -> Client {
        var client = Fixtures.client(authentication: authentication)
        client.senderConstraint = .dpop(key)
        return client
    }

    /// A server's side: answers as the test sets, and remembers the requests.
    private final class Server: HTTPTransport {
        private let answers: Lock<[EndpointResponse]>
        private let seen = Lock<[EndpointRequest]>([])
        var requests: [EndpointRequest] { seen.withLock { $0 } }

        init(_ answers: [EndpointResponse]) { self.answers = Lock(answers) }

        func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
            let count = seen.withLock { seen in
                seen.append(request)
                return seen.count
            }
            // A client that never gives up is given up on.
            guard count < 20 else { throw .interrupted }
            return answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        }
    }

    private static func challenge(_ nonce: String, status: HTTPResponse.Status = .badRequest) -> EndpointResponse {
        EndpointResponse(
            status: status,
            fields: [.contentType: "application/json", .dpopNonce: nonce],
            body: (["error": "use_dpop_nonce"] as JSONObject).encoded()
        )
    }

    private static func bound(_ type: String = "DPoP") -> EndpointResponse {
        var members = Fixtures.goodMembers(idToken: nil)
        members["token_type"] = .string(type)
        return Fixtures.tokenResponse(members)
    }

    private func exchange(_ client: Client = client()) throws -> TokenRequest<ClientCredentialsGrant> {
        TokenRequest(try ClientCredentialsGrant(for: client), client: client, server: Fixtures.server)
    }

    private var confidential: Client { Self.client(.clientSecretBasic(Secret("s"))) }

    private func proof(_ request: EndpointRequest) throws -> VerifiedJWT {
        let token = try UnverifiedJWT(try #require(request.fields[.dpop]))
        return try token.verified(by: JSONWebKeySet([Self.key.signingKey.publicKey]), algorithms: [.es256])
    }

    @Test("A proof names method, place and time, and brings its public key and nothing of the private one")
    func proof() throws {
        let request = try exchange(confidential).request(at: Fixtures.now)
        let proof = try proof(request)
        #expect(proof.header.type == "dpop+jwt")
        let header = try JSONObject(
            parsing: try Base64URL.decode(String(try #require(request.fields[.dpop]).prefix { $0 != "." }))
        )
        #expect(header["jwk"]?.object?.names.sorted() == ["crv", "kty", "x", "y"])
        #expect(header["kid"] == nil)
        #expect(proof.claims["htm"] == "POST")
        #expect(proof.claims["htu"] == "https://id.example.com/token")
        #expect(proof.claims["iat"] == .integer(1_800_000_000))
        #expect(proof.claims["jti"]?.string?.utf8.count == 43)
        #expect(proof.claims["ath"] == nil)
        #expect(proof.claims["nonce"] == nil)
    }

    @Test("The place is the URL without query and fragment, as it is written")
    func place() throws {
        var server = Fixtures.server
        server.tokenEndpoint = URL(string: "https://ID.example.com:443/a%2Fb/token?tenant=1")
        let client = confidential
        let exchange = TokenRequest(try ClientCredentialsGrant(for: client), client: client, server: server)
        #expect(try proof(exchange.request()).claims["htu"] == "https://ID.example.com:443/a%2Fb/token")
    }

    @Test("The request announces the key, and the code is redeemed with it")
    func announced() throws {
        let client = Self.client()
        let pending = try Fixtures.pending(client: client)
        #expect(Fixtures.query(pending)[.dpopKeyThumbprint] == Self.key.thumbprint)
        _ = try proof(try Fixtures.grant(pending).exchange().request())
    }

    @Test("A bearer token for a proof is refused, and a bound one without")
    func downgrade() throws {
        #expect(
            signInError { _ = try exchange(confidential).output(from: Self.bound("Bearer")) }
                == mismatch(.token, .tokenType)
        )
        let plain = Fixtures.client(authentication: .clientSecretBasic(Secret("s")))
        #expect(signInError { _ = try exchange(plain).output(from: Self.bound()) } == mismatch(.token, .tokenType))
    }

    @Test("The token type's case does not matter for a DPoP-bound token", arguments: ["DPoP", "dpop", "dpOp"])
    func typeCase(type: String) throws {
        let tokens = try exchange(confidential).output(from: Self.bound(type))
            .validated(by: JSONWebKeySet([]), now: Fixtures.now)
        #expect(tokens.tokenType == "DPoP")
        #expect(tokens.dpopKey == Self.key)
    }

    @Test("A DPoP nonce challenge is answered once with a new proof")
    func nonce() async throws {
        let server = Server([Self.challenge("n-1"), Self.bound()])
        _ = try await server.perform(try exchange(confidential))
        let proofs = try server.requests.map(proof)
        #expect(proofs.map { $0.claims["nonce"]?.string } == [nil, "n-1"])
        #expect(proofs[0].claims["jti"] != proofs[1].claims["jti"])
    }

    @Test("A request repeated with a DPoP nonce has a new client assertion")
    func assertion() async throws {
        let client = Self.client(.privateKeyJWT(Fixtures.key))
        let server = Server([Self.challenge("n-1"), Self.bound()])
        _ = try await server.perform(try exchange(client))
        let assertions = server.requests.map { $0.form[.clientAssertion] }
        #expect(assertions.count == 2 && assertions[0] != assertions[1])
    }

    @Test("A second DPoP nonce challenge fails the request")
    func endless() async throws {
        let server = Server([Self.challenge("n-1")])
        let error = await failure { () async throws(SignInError) in
            let client = Self.client(.clientSecretBasic(Secret("s")))
            let grant = try ClientCredentialsGrant(for: client)
            _ = try await server.perform(TokenRequest(grant, client: client, server: Fixtures.server))
        }
        #expect(error?.reason == .refused(OAuthError(code: .useDPoPNonce)))
        #expect(server.requests.count == 2)
    }

    @Test(
        "An invalid DPoP nonce is not sent, and the request is not repeated",
        arguments: [String(repeating: "n", count: 513), "a b", "a\"b", ""]
    )
    func uselessNonce(nonce: String) async throws {
        let server = Server([Self.challenge(nonce), Self.bound()])
        let exchange = try exchange(confidential)
        let error = await failure { () async throws(SignInError) in _ = try await server.perform(exchange) }
        #expect(error?.reason == .refused(OAuthError(code: .useDPoPNonce)))
        #expect(server.requests.count == 1)
    }

    @Test("A DPoP nonce of a successful response is used for the next request")
    func renewed() async throws {
        var success = Self.bound()
        success.fields[.dpopNonce] = "n-2"
        let server = Server([success])
        let context = ExchangeContext()
        _ = try await server.perform(try exchange(confidential), in: context)
        _ = try await server.perform(try exchange(confidential), in: context)
        #expect(try server.requests.map(proof).map { $0.claims["nonce"]?.string } == [nil, "n-2"])
    }

    @Test("DPoP nonces of an authorization server and a resource server on one origin are kept separate")
    func roles() {
        let nonces = DPoPNonces()
        let url = URL(string: "https://id.example.com/token")!
        nonces.remember(EndpointResponse(fields: [.dpopNonce: "as"]), to: url, as: .authorizationServer)
        nonces.remember(EndpointResponse(fields: [.dpopNonce: "rs"]), to: url, as: .resourceServer)
        let other = URL(string: "https://ID.example.com:443/userinfo?x")!
        #expect(nonces.nonce(for: other, as: .authorizationServer) == "as")
        #expect(nonces.nonce(for: other, as: .resourceServer) == "rs")
        #expect(nonces.nonce(for: URL(string: "https://id.example.com:8443/")!, as: .resourceServer) == nil)
    }

    @Test("DPoP nonces of the latest hundred origins are kept")
    func bounded() {
        let nonces = DPoPNonces()
        for number in 0...100 {
            let url = URL(string: "https://host\(number).example.com/")!
            nonces.remember(EndpointResponse(fields: [.dpopNonce: "n"]), to: url, as: .resourceServer)
        }
        #expect(nonces.nonce(for: URL(string: "https://host0.example.com/")!, as: .resourceServer) == nil)
        #expect(nonces.nonce(for: URL(string: "https://host1.example.com/")!, as: .resourceServer) == "n")
    }

    private static func host(_ number: Int) -> URL { URL(string: "https://host\(number).example.com/")! }

    private static func nonces(of hosts: some Sequence<Int>) -> DPoPNonces {
        let nonces = DPoPNonces()
        for number in hosts {
            nonces.remember(EndpointResponse(fields: [.dpopNonce: "n"]), to: host(number), as: .resourceServer)
        }
        return nonces
    }

    @Test("Restored DPoP nonces keep their order, and the oldest is dropped first")
    func restoredOrder() {
        let kept = Self.nonces(of: 0..<100).newest(100)
        let nonces = DPoPNonces()
        nonces.restore(kept)
        #expect(nonces.newest(100) == kept)
        nonces.remember(EndpointResponse(fields: [.dpopNonce: "n"]), to: Self.host(100), as: .resourceServer)
        #expect(nonces.nonce(for: Self.host(0), as: .resourceServer) == nil)
        #expect(nonces.nonce(for: Self.host(99), as: .resourceServer) == "n")
    }

    @Test("When there is no room for all restored DPoP nonces, the newest are kept")
    func restoredRoom() {
        let nonces = Self.nonces(of: 100..<199)
        nonces.restore(Self.nonces(of: 0..<2).newest(100))
        #expect(nonces.nonce(for: Self.host(0), as: .resourceServer) == nil)
        #expect(nonces.nonce(for: Self.host(1), as: .resourceServer) == "n")
    }

    @Test("A user info request carries the token, a proof and the token's hash, and answers a nonce challenge")
    func userInfo() async throws {
        let tokens = try Fixtures.signIn(client: Self.client(), response: { $0["token_type"] = "DPoP" })
        let challenge = EndpointResponse(
            status: .unauthorized,
            fields: [.wwwAuthenticate: #"dPoP error="use_dpop_nonce", algs="ES256""#, .dpopNonce: "rs-1"]
        )
        let answer = EndpointResponse(
            fields: [.contentType: "application/json"],
            body: (["sub": "alice"] as JSONObject).encoded()
        )
        let server = Server([challenge, answer])
        let request = try UserInfoRequest(tokens, client: Self.client(), server: Fixtures.server)
        _ = try await server.perform(request)
        #expect(server.requests.allSatisfy { $0.fields[.authorization] == "DPoP " + Fixtures.accessToken })
        let last = try proof(try #require(server.requests.last))
        #expect(last.claims["nonce"] == "rs-1")
        let hash = Base64URL.encode(HashAlgorithm.sha256.hash(Array(Fixtures.accessToken.utf8)))
        #expect(last.claims["ath"] == .string(hash))
    }

    @Test("A resource server's nonce challenge is answered, whatever error its JSON body names")
    func challengeWithBody() async throws {
        let tokens = try Fixtures.signIn(client: Self.client(), response: { $0["token_type"] = "DPoP" })
        var challenge = Self.challenge("rs-1", status: .unauthorized)
        challenge.fields[.wwwAuthenticate] = #"DPoP error="use_dpop_nonce", algs="ES256""#
        challenge.body = (["status": 401, "error": "Unauthorized"] as JSONObject).encoded()
        let server = Server([challenge, EndpointResponse(status: .noContent)])
        let endpointRequest = EndpointRequest(url: URL(string: "https://api.example.com/things")!)
        let request = ResourceRequest(endpointRequest, showing: tokens.accessToken, boundTo: tokens.dpopKey)
        #expect(try await server.perform(request).status == .noContent)
        #expect(try server.requests.map { try proof($0).claims["nonce"]?.string } == [nil, "rs-1"])
    }

    @Test("Refreshed tokens stay bound to the same DPoP key")
    func refresh() throws {
        let tokens = try Fixtures.signIn(client: Self.client(), response: { $0["token_type"] = "DPoP" })
        let exchange = TokenRequest(try RefreshGrant(tokens), client: Self.client(), server: Fixtures.server)
        _ = try proof(exchange.request())
        let error = signInError {
            _ = try exchange.output(from: Self.bound("Bearer")).validated(by: JSONWebKeySet([]), now: Fixtures.now)
        }
        #expect(error == mismatch(.refresh, .tokenType))
    }

    @Test("Stored tokens are restored with their DPoP key")
    func stored() throws {
        let tokens = try Fixtures.signIn(client: Self.client(), response: { $0["token_type"] = "DPoP" })
        let restored = try TokenSet(stored: try tokens.stored())
        #expect(restored == tokens)
        #expect(restored.dpopKey?.thumbprint == Self.key.thumbprint)
    }

    @Test("Printing a DPoP key shows no private key")
    func redacted() {
        #expect("\(Self.key)" == "DPoPKey(ES256, \(Self.key.thumbprint))")
        var dumped = ""
        dump(Self.key, to: &dumped)
        #expect(!dumped.contains("private") && !dumped.contains("signingKey"))
    }

    @Test("A proof rejected for its time is sent once more with the server's time")
    func clock() async throws {
        func refused(_ code: String) -> EndpointResponse {
            EndpointResponse(
                status: .badRequest,
                fields: [.contentType: "application/json", .date: HTTPDate.text(Fixtures.now)],
                body: (["error": .string(code)] as JSONObject).encoded()
            )
        }
        let device = DeviceClock(now: { Fixtures.now.addingTimeInterval(900) }, uptime: { 5 })
        for code in ["invalid_dpop_proof", "invalid_client"] {
            let server = Server([refused(code), Self.bound()])
            let context = ExchangeContext(clock: ServerClock(device))
            _ = try await server.perform(try exchange(confidential), in: context)
            let times = try server.requests.map(proof).map { $0.claims["iat"]?.number ?? 0 }
            #expect(times.count == 2 && times[0] == 1_800_000_900 && abs(times[1] - 1_800_000_000) <= 1)
        }
        // The same refusal with a right clock is final.
        let server = Server([refused("invalid_dpop_proof"), Self.bound()])
        let right = ExchangeContext(clock: ServerClock(DeviceClock(now: { Fixtures.now }, uptime: { 5 })))
        let exchange = try exchange(confidential)
        let error = await failure { () async throws(SignInError) in _ = try await server.perform(exchange, in: right) }
        #expect(error?.reason == .refused(OAuthError(code: .invalidDPoPProof)))
        #expect(server.requests.count == 1)
    }
}

/// The error that an asynchronous body throws.
func failure(_ body: () async throws(SignInError) -> Void) async -> SignInError? {
    do throws(SignInError) {
        try await body()
        return nil
    } catch {
        return error
    }
}
