import HTTPTypes
import Hummingbird
import HummingbirdAuth
import HummingbirdTesting
import NIOCore
import OstiaryHummingbird
import OstiaryJOSE
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("The access token as the identity of hummingbird-auth", .timeLimit(.minutes(5)))
struct HummingbirdAuthTests {
    /// Routes behind the kit's guard and policies of hummingbird-auth, and one for guests as well.
    private func application() throws -> some ApplicationProtocol {
        let keys = try KeySource(issuer: Fixtures.issuer, transport: ScriptedTransport(), clock: Fixtures.clock)
        let resource = try ProtectedResource(policy: Fixtures.policy(), keys: keys, clock: Fixtures.clock)
        let router = Router(context: TokenContext.self)
        let orders = router.group("orders").add(middleware: AccessTokenMiddleware(resource))
        orders.group()
            .add(middleware: AuthorizationPolicyMiddleware(PermissionPolicy<VerifiedAccessToken>("orders:read")))
            .get { _, context in try context.requireIdentity().subject }
        orders.group("all")
            .add(middleware: AuthorizationPolicyMiddleware(PermissionPolicy<VerifiedAccessToken>("orders:write")))
            .delete { _, _ in HTTPResponse.Status.noContent }
        router.group("news").add(middleware: asAuthenticator(AccessTokenAuthenticator<TokenContext>(resource)))
            .get { _, context in context.identity?.subject ?? "a guest" }
        router.group("mixed").add(middleware: Asking(other: AccessTokenAuthenticator(resource)))
            .get { _, context in context.identity?.subject ?? "a guest" }
        return Application(router: router)
    }

    private func asAuthenticator<Some: AuthenticatorMiddleware>(_ authenticator: Some) -> Some { authenticator }

    /// An authenticator of an app's own that asks another one.
    private struct Asking: AuthenticatorMiddleware {
        typealias Input = Request
        typealias Output = Response
        typealias Context = TokenContext
        let other: AccessTokenAuthenticator<TokenContext>

        func authenticate(request: Request, context: TokenContext) async throws -> VerifiedAccessToken? {
            try await other.authenticate(request: request, context: context)
        }
    }

    private func bearer(scope: String = "orders:read", until expiry: Int = Fixtures.time + 300) -> HTTPFields {
        Fixtures.bearer(
            Fixtures.token {
                $0["scope"] = .string(scope)
                $0["exp"] = .integer(expiry)
            }
        )
    }

    @Test("GuardedRouteCheck finds no fault that a route behind the guard and a policy of hummingbird-auth accepts")
    func contract() async throws {
        try await application().test(.router) { client in
            try await GuardedRouteCheck(
                issuer: Fixtures.issuer,
                audience: Fixtures.audience,
                scopes: ["orders:read"],
                key: Fixtures.key,
                clock: Fixtures.clock
            ) { fields in
                let response = try await client.execute(uri: "/orders", method: .get, headers: fields)
                return GuardedRouteCheck.Answer(status: response.status, fields: response.headers)
            }.run()
        }
    }

    @Test("A policy of hummingbird-auth decides by the scopes of an admitted token")
    func permissions() async throws {
        try await application().test(.router) { client in
            let cases: [(String, HTTPResponse.Status)] = [
                ("orders:read", .forbidden), ("orders:read orders:write", .noContent),
            ]
            for (scope, status) in cases {
                let response = try await client.execute(
                    uri: "/orders/all",
                    method: .delete,
                    headers: bearer(scope: scope)
                )
                #expect(response.status == status)
            }
            let none = try await client.execute(uri: "/orders/all", method: .delete)
            #expect(none.status == .unauthorized && none.headers[.wwwAuthenticate] != nil)
        }
    }

    @Test(
        "The authenticator admits guests and valid tokens, and refuses a rejected token with its challenge",
        arguments: ["/news", "/mixed"]
    )
    func guests(path: String) async throws {
        try await application().test(.router) { client in
            func ask(_ fields: HTTPFields) async throws -> TestResponse {
                try await client.execute(uri: path, method: .get, headers: fields)
            }
            #expect(try await String(buffer: ask([:]).body) == "a guest")
            #expect(try await String(buffer: ask(bearer()).body) == "alice")
            let expired = try await ask(bearer(until: 1))
            #expect(expired.status == .unauthorized)
            #expect(expired.headers[.wwwAuthenticate]?.contains("invalid_token") == true)
            let narrow = try await ask(bearer(scope: "other"))
            #expect(narrow.status == .forbidden)
            #expect(narrow.headers[.wwwAuthenticate]?.contains("insufficient_scope") == true)
            #expect(try await ask([.authorization: "Bearer a b"]).status == .badRequest)
            // Credentials of another scheme are another authenticator's.
            #expect(try await String(buffer: ask([.authorization: "Basic YTpi"]).body) == "a guest")
        }
    }
}
