import Foundation
import HTTPTypes
import Ostiary
import OstiaryProvider

/// Forge's side of the wire, on the development provider: its paths, its token answers, its API.
struct ForgeDialect: Dialect {
    static let tokenPath = "/login/oauth/access_token"

    var name: String { "forge" }

    func path(of route: Route) -> String? {
        switch route {
        case .authorization: "/login/oauth/authorize"
        case .token: Self.tokenPath
        case .login: "/session"
        case .consent: "/login/oauth/consent"
        case .revocation, .introspection: "/inside" + route.rawValue
        default: ""
        }
    }

    func writeAuthorizationResponse(_ parameters: inout Parameters) { parameters[.issuer] = nil }

    /// Tokens that last, scopes that are joined by commas, and nothing of OpenID.
    func writeTokenResponse(_ response: inout JSONObject, for grantType: RegisteredClient.GrantType) {
        response["expires_in"] = nil
        response["token_type"] = "bearer"
        response["scope"] = .string(Scope.list(response["scope"]?.string ?? "").map(\.rawValue).joined(separator: ","))
    }

    /// Refusals with status 200, and answers as forms for a client that does not ask for JSON.
    func write(_ response: inout ProviderResponse, to request: ProviderRequest, at provider: Provider) {
        guard request.path == Self.tokenPath, var object = try? JSONObject(parsing: provider.body(of: response)) else {
            return
        }
        switch object["error"] {
        case "invalid_grant": object["error"] = "bad_verification_code"
        case "invalid_client": object["error"] = "incorrect_client_credentials"
        default: break
        }
        response.status = .ok
        response.content = .bytes(object.encoded())
        guard request.fields[.accept]?.contains("application/json") != true else { return }
        var form = Parameters()
        for (name, value) in object.members { form[.init(rawValue: name)] = value.string }
        response.fields[.contentType] = "application/x-www-form-urlencoded"
        response.content = .bytes(Array(FormURLEncoding.encode(form).utf8))
    }

    func answer(to request: ProviderRequest, at provider: Provider) async throws -> ProviderResponse? {
        if request.path == "/api/v3/user", request.method == .get { return await user(request, provider) }
        if request.path == "/api/v3/applications/app/token", request.method == .delete {
            return await deletion(request, provider)
        }
        return nil
    }

    private func user(_ request: ProviderRequest, _ provider: Provider) async -> ProviderResponse {
        let token = request.fields[.authorization]?.dropFirst("Bearer ".count) ?? ""
        let answer = await inside(
            .introspection,
            [.token: String(token), .clientID: "api", .clientSecret: "api-secret"],
            provider
        )
        let subject = (try? JSONObject(parsing: provider.body(of: answer)))?["sub"]
        guard let person = provider.configuration.users.first(where: { .string($0.subject) == subject }),
            let id = Int(person.subject)
        else { return json(["message": "Bad credentials"], .unauthorized) }
        var object: JSONObject = ["id": .integer(id), "login": .string(person.name)]
        object["name"] = person.claims["name"]
        return json(object, .ok)
    }

    private func deletion(_ request: ProviderRequest, _ provider: Provider) async -> ProviderResponse {
        let encoded = request.fields[.authorization]?.dropFirst("Basic ".count) ?? ""
        let pair = Data(base64Encoded: String(encoded)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let halves = pair.split(separator: ":").compactMap { FormURLEncoding.unescape($0) }
        guard halves.count == 2,
            let token = (try? JSONObject(parsing: request.body))?["access_token"]?.string
        else { return json(["message": "Bad credentials"], .unauthorized) }
        let answer = await inside(
            .revocation,
            [.token: token, .clientID: halves[0], .clientSecret: halves[1]],
            provider
        )
        guard answer.status == .ok else { return json(["message": "Bad credentials"], .unauthorized) }
        return ProviderResponse(status: .noContent)
    }

    /// The answer of the provider's own endpoint.
    private func inside(_ route: Route, _ form: Parameters, _ provider: Provider) async -> ProviderResponse {
        await provider.respond(
            to: ProviderRequest(
                method: .post,
                path: path(of: route) ?? "",
                fields: [.contentType: "application/x-www-form-urlencoded"],
                body: Array(FormURLEncoding.encode(form).utf8)
            )
        )
    }

    private func json(_ object: JSONObject, _ status: HTTPResponse.Status) -> ProviderResponse {
        ProviderResponse(
            status: status,
            fields: [.contentType: "application/vnd.forge+json; charset=utf-8"],
            content: .bytes(object.encoded())
        )
    }
}
