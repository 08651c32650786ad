import Foundation
import HTTPTypes
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryProviderDialects
import OstiarySwiftUI
import OstiaryTesting

@testable import SwiftUIApp

/// The five systems, a partner's backend and their people, in this process, on one clock.
struct AppNetwork: HTTPTransport {
    let clock = TestClock()
    private let providers: [SignInProvider.Kind: InProcessProvider]

    init() throws {
        var random = SecureRandom()
        let hash = try PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random)
        let clock = clock
        var logi = ProviderConfiguration.logi(issuer: try Issuer("https://api.1pass.dev"), password: hash)
        logi.clients[0].id = "logi_example"
        logi.clients[0].redirectURIs = [try RedirectURI("com.example.providers://oauth/1pass/callback")]
        var logto = try ProviderConfiguration.logto(
            issuer: try Issuer("https://example.logto.app/oidc"),
            passwordHash: hash
        )
        logto.clients[0].redirectURIs = [try RedirectURI("com.example.providers://logto/callback")]
        logto.clients[0].postLogoutRedirectURIs = [try RedirectURI("com.example.providers://logto/signed-out")]
        let alice = ProviderUser(name: "alice", passwordHash: hash, subject: "alice")
        let curity = "https://idsvr.example.com/oauth/v2/oauth-anonymous"
        let configurations: [SignInProvider.Kind: ProviderConfiguration] = [
            .logi: logi,
            .logto: logto,
            .curity: try .curity(issuer: try Issuer(curity), users: [alice]),
            .ssafy: try .ssafy(
                issuer: try Issuer("https://verify.myknow.xyz"),
                password: Secret("wonderland"),
                clientSecret: Secret("partner-secret"),
                cost: .insecureForTests,
                using: &random
            ),
            .zephr: try .zephr(
                issuer: try Issuer("https://news.example.com"),
                redirectURI: try RedirectURI("https://app.example.com/oauthredirect"),
                password: Secret("wonderland"),
                cost: .insecureForTests,
                using: &random
            ),
        ]
        providers = configurations.mapValues { configuration in
            InProcessProvider(
                provider: Provider(configuration: configuration, clock: clock.device, random: SecureRandom())
            )
        }
    }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        if request.url.host() == "partner.example.com" { return try await redeem(request) }
        for provider in providers.values {
            do throws(TransportFailure) {
                return try await provider.send(request)
            } catch {
                // The origin of another provider.
                guard error == .unreachable else { throw error }
            }
        }
        throw .unreachable
    }

    /// The user at a door; the one that is named, or the one that the system knows.
    func person(at kind: SignInProvider.Kind, named name: String? = nil) -> HTTPUserAgent {
        let names: [SignInProvider.Kind: String] = [.logi: "mina", .ssafy: "jiwoo", .zephr: "ada"]
        return HTTPUserAgent(
            transport: self,
            credentials: .init(name: name ?? names[kind] ?? "alice", password: Secret("wonderland")),
            clock: clock.device
        )
    }

    /// A partner's backend as an app sees it: it redeems the code, and the token's members come
    /// back.
    private func redeem(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        guard let body = try? JSONObject(parsing: request.body ?? []), let code = body["code"]?.string,
            let verifier = body["codeVerifier"]?.string,
            let url = URL(string: "https://verify.myknow.xyz/verify/token")
        else { throw .invalidRequest }
        let form = Parameters([
            .grantType: "verification_code", .clientID: "ssafy-partner", .clientSecret: "partner-secret",
            .code: code, .codeVerifier: verifier,
        ])
        let answer = try await send(EndpointRequest(url: url, method: .post, form: form))
        guard let token = (try? JSONObject(parsing: answer.body))?["verification_token"]?.string,
            let payload = token.split(separator: ".").dropFirst().first,
            let bytes = try? Base64URL.decode(String(payload)), let claims = try? JSONObject(parsing: bytes)
        else { return answer }
        let result: JSONObject = [
            "ok": true, "verified": true, "sub": .string(claims["sub"]?.string ?? ""),
            "authTime": .number(claims["auth_time"]?.number ?? 0),
        ]
        return EndpointResponse(
            status: .ok,
            fields: [.contentType: "application/json"],
            body: result.encoded()
        )
    }
}

/// A network that is away for as long as a test says.
final class AppOutage: HTTPTransport {
    let network: AppNetwork
    private let rule = Lock<(@Sendable (EndpointRequest) -> Bool)?>(nil)

    init(of network: AppNetwork) { self.network = network }

    /// Requests that match do not get through; with `nil` all do.
    func lose(_ requests: (@Sendable (EndpointRequest) -> Bool)?) { rule.withLock { $0 = requests } }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        if rule.withLock({ $0 })?(request) == true { throw .unreachable }
        return try await network.send(request)
    }
}
