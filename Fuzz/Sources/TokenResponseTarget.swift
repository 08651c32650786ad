import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

extension FuzzTarget {
    /// A token response; the first digit chooses the status, and an `id_token` that is an object is signed as claims.
    ///
    /// A `nonce` of `NONCE` becomes the right one, and an `at_hash` of `HASH` the hash of the access token.
    static let tokenResponse = FuzzTarget(name: "token-response") { bytes in
        guard let choice = bytes.first else { return }
        var body = Array(bytes.dropFirst())
        if var members = try? JSONObject(parsing: body), var claims = members["id_token"]?.object {
            if claims["nonce"] == "NONCE" { claims["nonce"] = nonce.map { .string($0) } }
            if claims["at_hash"] == "HASH", let accessToken = members["access_token"]?.string {
                claims["at_hash"] = .string(SignatureAlgorithm.edDSA.leftHalfHash(of: accessToken))
            }
            members["id_token"] = (try? World.signer.sign(claims: claims)).map { .string($0) }
            body = members.encoded()
        }
        let response = EndpointResponse(
            status: choice & 1 == 0 ? .ok : choice & 2 == 0 ? .badRequest : .unauthorized,
            fields: [.contentType: "application/json"],
            body: body
        )
        guard let tokens = signIn(response) else { return }
        refresh(tokens, response)
    }

    private static let client = World.client()
    private static let pending = World.pending(for: client)
    private static let query = FormURLEncoding.decode(
        pending.url.absoluteString.drop { $0 != "?" }.dropFirst()
    )
    private static let callback = URL(string: "com.example.app:/callback?code=c&state=\(query?[.state] ?? "")")!
    private static let nonce = query?[.nonce]

    private static func signIn(_ response: EndpointResponse) -> TokenSet? {
        do throws(SignInError) {
            let exchange = try pending.grant(from: callback).exchange()
            let answer = try exchange.output(from: response)
            demandDiscreet(answer)
            let tokens = try answer.validated(by: World.keys, now: World.now)
            demand(response.status == .ok, "a failure gives no tokens")
            demand(tokens.identity != nil, "a sign-in has an identity")
            let claims = tokens.identity?.claims
            demand(claims?["nonce"]?.string == nonce, "the nonce is the one that was sent")
            demand(claims?["iss"]?.string == World.issuerText, "the issuer is the one that was asked")
            demand(tokens.identity?.audience.contains("app") == true, "the audience is this client")
            demandWhole(tokens)
            return tokens
        } catch {
            demand(error.stage == .token || error.stage == .identity, "the stage is the exchange's")
            // The server's own words are printed.
            if case .refused = error.reason { return nil }
            guard error.serverMessage == nil else { return nil }
            demandDiscreet(error)
            return nil
        }
    }

    private static func refresh(_ tokens: TokenSet, _ response: EndpointResponse) {
        guard let grant = try? RefreshGrant(tokens) else { return }
        do throws(SignInError) {
            let exchange = TokenRequest(grant, client: client, server: World.server)
            let renewed = try exchange.output(from: response).validated(by: World.keys, now: World.now)
            demand(renewed.identity?.subject == tokens.identity?.subject, "the user stays the same")
            demandWhole(renewed)
        } catch {
            // The very response that a sign-in accepted continues itself.
            demand(false, "a refresh takes what the sign-in took: \(error)")
        }
    }

    private static func demandWhole(_ tokens: TokenSet) {
        demand(!tokens.accessToken.isEmpty, "there is an access token")
        demand(tokens.refreshToken?.isEmpty != true, "a refresh token is not empty")
        _ = tokens.isFresh(at: World.now, for: .seconds(30))
        // Scopes are printed; a secret among them is not secret any more.
        if !tokens.scopes.text.utf8.contains(secretWord.utf8) { demandDiscreet(tokens) }
        guard let stored = try? tokens.stored().encoded() else { return demand(false, "tokens can be stored") }
        let read = (try? JSONObject(parsing: stored, limits: JSONLimits(maximumBytes: 1 << 20)))
            .flatMap { try? TokenSet(stored: $0) }
        demand(read == tokens, "tokens are read from the store as they were")
    }
}
