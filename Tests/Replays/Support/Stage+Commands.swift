import Foundation
import HTTPTypes
import Ostiary
import OstiaryJOSE
import OstiaryServer
import OstiaryTesting

extension Stage {
    /// Carries out a recorded command with the client of today.
    ///
    /// - Returns: The members of the answer that the command line would print, as far as they are compared.
    func run(_ step: Recording.Step) async throws -> JSONObject {
        let arguments = Arguments(step.arguments)
        switch (arguments.verb, arguments.positional.first) {
        case ("logto", let verb?): return try await logto(verb, arguments, in: step)
        case ("login", _): return try await signIn(arguments, in: step)
        case ("device", _): return try await device(arguments, in: step)
        case ("token", _): return try await token(arguments, in: step)
        case ("userinfo", _): return try await userInfo(arguments, in: step)
        case ("refresh", _): return try await refresh(arguments, in: step)
        case ("logout", _): return try await signOut(arguments, returningTo: "post-logout-redirect-uri", in: step)
        case ("request", _): return try await request(arguments, in: step)
        case ("register", let act): return try await register(act ?? "new", arguments, in: step)
        case ("introspect", _), ("revoke", _), ("exchange", _): return try await askAboutToken(arguments, in: step)
        case ("discover", _): return try await discover(arguments)
        case ("jwks", _): return try await keys(of: try issuer(arguments)).object
        case ("jwt", _): return try await verify(arguments, in: step)
        default: throw UnknownCommand(verb: arguments.verb)
        }
    }

    struct UnknownCommand: Error {
        let verb: String
    }

    private func issuer(_ arguments: Arguments) throws -> Issuer { try Issuer(arguments["issuer"] ?? "") }

    private func signIn(_ arguments: Arguments, in step: Recording.Step) async throws -> JSONObject {
        let name = arguments["profile"] ?? "default"
        let profile = try await profile(arguments, named: name)
        var request = AuthorizationRequest(
            scopes: Scope.list(arguments["scope"] ?? "openid profile offline_access"),
            prompt: arguments.all("prompt").map(AuthorizationRequest.Prompt.init(rawValue:)),
            maximumAge: arguments["max-age"].flatMap { Int($0) }.map { .seconds($0) },
            resources: try arguments.all("resource").map { try ResourceIndicator($0) }
        )
        if arguments["par"] == "always" { request.pushing = .always } else if !isPushed { request.pushing = .never }
        if let values = arguments["acr-values"] {
            request.authenticationContext = .required(values.split(separator: " ").map(String.init))
        }
        let session = try await client(profile, named: name, in: step).signIn(request)
        profiles[name] = profile
        return session.answer
    }

    /// The client that the arguments describe, or the one that was registered.
    private func profile(_ arguments: Arguments, named name: String) async throws -> Profile {
        let redirectURI = try RedirectURI(arguments["redirect-uri"] ?? "http://127.0.0.1/callback")
        var client: Client
        let issuer: Issuer
        if let id = arguments["client-id"] {
            issuer = try self.issuer(arguments)
            client = try Client(
                id: id,
                redirectURI: redirectURI,
                authentication: try authentication(arguments["client-auth"])
            )
        } else {
            guard let registered = issuers[name],
                let registration = try await registrar(at: registered, named: name).restore()
            else { throw SignInError(.storage, .signInRequired) }
            issuer = registered
            client = try registration.client(redirectURI: redirectURI)
        }
        client.manners = manners
        if let algorithm = arguments["id-token-alg"].flatMap(SignatureAlgorithm.init) {
            client.validation.idTokenAlgorithms = [algorithm]
        }
        client.validation.userInfoAlgorithm = arguments["userinfo-alg"].flatMap(SignatureAlgorithm.init)
        if arguments.has("dpop") { client.senderConstraint = .dpop }
        if arguments["security"] == "fapi2" { client.profile = .fapi2Security }
        return Profile(issuer: issuer, client: client)
    }

    /// The method of the recorded client, with a secret or a key of our own: no recording holds one.
    private func authentication(_ method: String?) throws -> ClientAuthentication {
        switch method {
        case "client_secret_basic": .clientSecretBasic(Secret("made-up"))
        case "client_secret_post": .clientSecretPost(Secret("made-up"))
        case "private_key_jwt": .privateKeyJWT(try SigningKey.generate(.es256), audience: audience)
        default: .none
        }
    }

    private func device(_ arguments: Arguments, in step: Recording.Step) async throws -> JSONObject {
        let name = arguments["profile"] ?? "default"
        let profile = try await profile(arguments, named: name)
        let session = try await client(profile, named: name, in: step).signInOnOtherDevice(
            scopes: Scope.list(arguments["scope"] ?? "openid"),
            show: { _ in }
        )
        profiles[name] = profile
        return session.answer
    }

    private func token(_ arguments: Arguments, in step: Recording.Step) async throws -> JSONObject {
        let resource = try arguments["resource"].map { try ResourceIndicator($0) }
        let token = try await session(of: arguments, in: step).accessToken(for: resource)
        lastToken = token
        return ["accessToken": .string(token.reveal())]
    }

    private func userInfo(_ arguments: Arguments, in step: Recording.Step) async throws -> JSONObject {
        ["claims": .object(try await session(of: arguments, in: step).userInfo().claims)]
    }

    private func refresh(_ arguments: Arguments, in step: Recording.Step) async throws -> JSONObject {
        let session = try await session(of: arguments, in: step)
        try await session.refresh()
        return session.answer
    }

    private func signOut(
        _ arguments: Arguments,
        returningTo option: String,
        in step: Recording.Step
    ) async throws -> JSONObject {
        let redirectURI = try arguments[option].map { try RedirectURI($0) }
        let session = try await session(of: arguments, in: step)
        let report = try await session.signOut(endingProviderSessionAt: redirectURI)
        profiles[arguments["profile"] ?? "default"] = nil
        return [
            "revocation": .string(report.revocation.word),
            "endSession": report.endSessionFailure != nil ? "failed" : redirectURI == nil ? "none" : "ended",
        ]
    }

    private func request(_ arguments: Arguments, in step: Recording.Step) async throws -> JSONObject {
        let words = arguments.positional
        let origins = Set(try arguments.all("allow-origin").map { try Origin($0) })
        var request = EndpointRequest(
            url: URL(string: words[1])!,
            method: HTTPRequest.Method(rawValue: words[0])!
        )
        if let type = arguments["content-type"] { request.content = .init(mediaType: type, bytes: Array("hello".utf8)) }
        let response = try await session(of: arguments, in: step, origins: origins).data(for: request)
        return [
            "status": .integer(response.status.code), "body": .string(String(decoding: response.body, as: UTF8.self)),
        ]
    }

    private func register(_ act: String, _ arguments: Arguments, in step: Recording.Step) async throws -> JSONObject {
        let name = arguments["profile"] ?? "default"
        let registration: ClientRegistration
        switch act {
        case "new":
            let issuer = try issuer(arguments)
            let metadata =
                if arguments.has("metadata"), let members = recordedBody("POST", in: step) {
                    ClientMetadata(members)
                } else {
                    ClientMetadata(name: "Ostiary", redirectURIs: [try RedirectURI("http://127.0.0.1/callback")])
                }
            registration = try await registrar(at: issuer, named: name).register(
                metadata,
                initialAccessToken: arguments.has("initial-access-token-file") ? Secret("made-up") : nil
            )
            issuers[name] = issuer
        case "update":
            var metadata = recordedBody("PUT", in: step) ?? [:]
            metadata["client_id"] = nil
            metadata["client_secret"] = nil
            registration = try await registered(name).update(ClientMetadata(metadata))
        case "delete":
            try await registered(name).delete()
            issuers[name] = nil
            return ["registration": "deleted"]
        default:
            registration = try await registered(name).read()
        }
        return [
            "clientID": .string(registration.clientID), "hasSecret": .bool(registration.clientSecret != nil),
            "manageable": .bool(registration.management != nil), "metadata": .object(registration.metadata.members),
        ]
    }

    private func registered(_ name: String) throws -> ClientRegistrar {
        guard let issuer = issuers[name] else {
            throw SignInError(.registration, .configuration("No client is registered."))
        }
        return registrar(at: issuer, named: name)
    }

    private func askAboutToken(_ arguments: Arguments, in step: Recording.Step) async throws -> JSONObject {
        let name = arguments["profile"] ?? "default"
        let client = client(try await profile(arguments, named: name), named: name, in: step)
        let token = lastToken ?? Secret("made-up")
        switch arguments.verb {
        case "introspect":
            let description = try await client.introspect(token, at: introspectionEndpoint)
            return ["active": .bool(description != .inactive)]
        case "revoke":
            try await client.revoke(token, kind: .accessToken)
            return ["revocation": "revoked"]
        default:
            let tokens = try await client.exchange(
                TokenExchangeGrant.Token(token, .accessToken),
                audiences: arguments.all("audience"),
                resources: try arguments.all("resource").map { try ResourceIndicator($0) },
                requestedType: manners.omitsIssuedTokenType ? .accessToken : nil
            )
            return ["tokenType": .string(tokens.tokenType), "scope": .string(tokens.scopes.text)]
        }
    }
}

extension SignOutReport.Revocation {
    /// The word of the command line's JSON.
    fileprivate var word: String {
        switch self {
        case .done: "revoked"
        case .notOffered: "notOffered"
        default: "failed"
        }
    }
}

extension Session {
    /// The answer of a sign-in or a refresh.
    fileprivate var answer: JSONObject {
        var answer: JSONObject = [
            "scope": .string(scopes.text), "tokenType": .string(tokenType), "refreshable": .bool(isRefreshable),
        ]
        answer["claims"] = identity.map { .object($0.claims) }
        return answer
    }
}

extension JSONWebKeySet {
    fileprivate var object: JSONObject { ["count": .integer(keys.count)] }
}
