import HTTPTypes
import Ostiary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ZephrAPI {
    /// Requests the URL of a social provider's page; it is neither opened nor followed here.
    func startURL(of provider: ZephrProvider, clientType: String) async throws(ZephrError) -> URL {
        let query = FormURLEncoding.encode(Parameters(["client_type": clientType]))
        let answer = try await call(
            .get,
            site.publicAPI("/oauth/\(provider.name)?\(query)"),
            redirects: .read
        )
        let location: String?
        switch answer.status {
        case 302, 303, 307: location = answer.response.fields[.location]
        case 200 where answer.json != nil: location = answer.json?["location"]?.string
        case 200: throw ZephrError(.providerNotConfigured)
        case 404: throw ZephrError(.unknownProvider)
        case 429: throw ZephrError(.rateLimited, retryAfter: answer.response.retryAfter)
        default: throw ZephrError(.server(status: answer.status))
        }
        guard let location else { throw ZephrError(.providerNotConfigured) }
        guard let url = page(location, of: provider) else { throw ZephrError(.untrustedPage) }
        return url
    }

    /// The page to open: https, without a user name, on a host of the provider or of the site.
    private func page(_ location: String, of provider: ZephrProvider) -> URL? {
        // A URL that browsers parse differently is rejected.
        guard location.utf8.count <= 16_384,
            location.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !#"\"<>^`{|}"#.utf8.contains($0) }),
            let url = URL(string: location), url.absoluteString.utf8.elementsEqual(location.utf8),
            url.user() == nil, url.password() == nil, let host = url.host()?.lowercased(), !host.isEmpty
        else { return nil }
        let isOfSite = host.utf8.elementsEqual(site.host.utf8)
        switch url.scheme?.lowercased() {
        case "https": return isOfSite || provider.owns(host) ? url : nil
        case "http": return isOfSite && site.isOnThisMachine ? url : nil
        default: return nil
        }
    }

    /// Registers a user: with a password, or with the key of a social sign-in.
    func register(
        identifiers: JSONObject,
        validators: JSONObject,
        attributes: JSONObject
    ) async throws(ZephrError) -> SessionCookie {
        let answer = try await call(
            .post,
            site.publicAPI("/register"),
            json: [
                "identifiers": .object(identifiers), "validators": .object(validators),
                "attributes": .object(attributes),
            ]
        )
        return try session(in: answer, .registration)
    }

    /// Registers a user with the key of a social sign-in.
    func register(stateKey: Secret, attributes: JSONObject) async throws(ZephrError) -> SessionCookie {
        try await register(
            identifiers: [:],
            validators: ["token_exchange": .string(stateKey.reveal())],
            attributes: attributes
        )
    }

    /// Registers a user with a password.
    func register(
        emailAddress: String,
        password: Secret,
        attributes: JSONObject
    ) async throws(ZephrError) -> SessionCookie {
        try await register(
            identifiers: ["email_address": .string(emailAddress)],
            validators: ["password": .string(password.reveal())],
            attributes: attributes
        )
    }

    /// Signs a user in with a password.
    func logIn(emailAddress: String, password: Secret) async throws(ZephrError) -> SessionCookie {
        let answer = try await call(
            .post,
            site.publicAPI("/login"),
            json: [
                "identifiers": ["email_address": .string(emailAddress)],
                "validators": ["password": .string(password.reveal())],
            ]
        )
        return try session(in: answer, .login)
    }

    /// Starts an anonymous session.
    func startAnonymousSession() async throws(ZephrError) -> SessionCookie {
        try session(in: try await call(.post, site.publicAPI("/anonymous-session")), .session)
    }

    /// Returns the session in a response: in its member `cookie`, or in a `Set-Cookie` field.
    private func session(in answer: Answer, _ question: Answer.Question) throws(ZephrError) -> SessionCookie {
        guard answer.response.status.kind == .successful else { throw answer.failure(question) }
        let now = context.clock.now
        let fields = answer.response.fields[values: .setCookie].flatMap(SessionCookie.separated)
        let texts = [answer.json?["cookie"]?.string].compactMap { $0 } + fields
        guard let cookie = texts.lazy.compactMap({ SessionCookie($0, now: now) }).first else {
            throw ZephrError(.malformed("there is no session in it"))
        }
        return cookie
    }
}
