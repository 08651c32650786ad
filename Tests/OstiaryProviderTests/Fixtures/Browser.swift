import HTTPTypes
import OstiaryCompatibility
import OstiaryOAuth
import OstiaryProvider
import Testing

/// A browser with its cookies, and a user in front of it.
final class Browser: Sendable {
    private let provider: Provider
    private let jar = Lock<[String: String]>([:])

    init(provider: Provider) { self.provider = provider }

    /// The cookie whose name has a part.
    func cookie(_ part: String) -> String? { jar.withLock { $0.first { $0.key.contains(part) }?.value } }
    /// Plants or removes a cookie.
    func setCookie(_ part: String, _ value: String?) {
        jar.withLock { jar in
            guard let name = jar.keys.first(where: { $0.contains(part) }) else { return }
            jar[name] = value
        }
    }
    /// Takes another browser's login, and keeps its own mark.
    func takeSession(of other: Browser) {
        let stolen = other.jar.withLock { $0.filter { $0.key.contains("session") } }
        jar.withLock { $0.merge(stolen) { $1 } }
    }
    /// Takes another browser's cookies, in place of its own or over them.
    func copyCookies(of other: Browser, replacing: Bool = true) {
        let taken = other.jar.withLock { $0 }
        jar.withLock { $0 = replacing ? taken : $0.merging(taken) { $1 } }
    }

    func send(_ method: HTTPRequest.Method, _ path: String, _ parameters: Parameters = Parameters()) async
        -> ProviderResponse
    {
        var request = ProviderRequest(method: method, path: path)
        let text = FormURLEncoding.encode(parameters)
        if method == .post {
            request.body = Array(text.utf8)
            request.fields[.contentType] = "application/x-www-form-urlencoded"
        } else {
            request.query = text.isEmpty ? nil : text
        }
        let cookies = jar.withLock { $0.map { "\($0.key)=\($0.value)" } }
        if !cookies.isEmpty { request.fields[.cookie] = cookies.joined(separator: "; ") }
        let response = await provider.respond(to: request)
        for cookie in response.cookies {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", omittingEmptySubsequences: false).map(
                String.init
            )
            jar.withLock { $0[pair[0]] = pair[1].isEmpty ? nil : pair[1] }
        }
        return response
    }

    func authorize(_ request: Parameters = .authorization()) async -> ProviderResponse {
        await send(.get, "/authorize", request)
    }

    /// Fills in a page's form and presses a button.
    func submit(
        _ form: PageForm,
        _ inputs: KeyValuePairs<Parameters.Name, String> = [:],
        _ decision: PageInput.Decision = .accept,
        change: (inout Parameters) -> Void = { _ in }
    ) async -> ProviderResponse {
        var parameters = Parameters(inputs)
        for field in form.hiddenFields { parameters[Parameters.Name(rawValue: field.name)] = field.value }
        parameters[Parameters.Name(rawValue: PageInput.decision)] = decision.rawValue
        change(&parameters)
        let path = form.action.dropFirst("http://".count).drop { $0 != "/" }
        return await send(.post, String(path), parameters)
    }

    /// Follows a redirect that stays at the provider.
    func follow(_ response: ProviderResponse) async throws -> ProviderResponse {
        let redirect = try #require(response.redirect)
        let path = redirect.place.dropFirst("http://".count).drop { $0 != "/" }
        return await send(.get, String(path), redirect.parameters)
    }

    /// Asks for a code and signs in; what comes after the password.
    func signIn(
        _ request: Parameters = .authorization(),
        name: String = "alice",
        password: String = "correct horse"
    ) async throws -> ProviderResponse {
        let page = try #require(await authorize(request).loginPage)
        return await submit(page.form, ["username": name, "password": password])
    }
}
