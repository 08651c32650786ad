public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A social provider, under the name of the vendor's own SDK.
public typealias AuthProvider = ZephrProvider

/// The API of the vendor's own SDK: one client for the process, and completion handlers.
///
/// It is a thin layer over ``Zephr``. The app presents the page and receives the redirect itself here. So the app must
/// also do the rest of ``Zephr/signIn(with:expecting:)``: accept a redirect only while a sign-in waits for one, confirm
/// the session with the site, and store it as a secret.
public enum BlaizePublic {
    /// The process's client, for the site of ``BlaizeConfiguration/shared``.
    public static let client = BlaizeClient()
}

/// The calls of the vendor's own SDK.
///
/// Each returns at once and calls its completion once, on the main actor.
public struct BlaizeClient: Sendable {
    /// The outcome of a registration.
    public enum RegisterResult: Sendable {
        /// The user is registered; the session's id.
        case success(Secret)
        /// The user is already registered.
        case userAlreadyExists
        /// The site does not take addresses of this domain.
        case emailDomainBlacklisted
        /// Any other error.
        case badRequest(ZephrError)
    }

    /// The outcome of a sign-in with a password.
    public enum LoginResult: Sendable {
        /// The user is signed in; the session's id.
        case success(Secret)
        /// No user has this address.
        case userNotFound
        /// The password is wrong.
        case badPassword
        /// Any other error.
        case badRequest(ZephrError)
    }

    init() {}

    /// Requests the URL of a social provider's page; present it in an `ASWebAuthenticationSession`, preferably an
    /// ephemeral one.
    public func startOAuthFlow(
        provider: AuthProvider,
        completion: @escaping @MainActor @Sendable (Result<URL, ZephrError>) -> Void
    ) {
        let clientType = BlaizeConfiguration.shared.clientType
        run(completion) { (api) throws(ZephrError) in
            try await api.startURL(of: provider, clientType: clientType)
        }
    }

    /// Finishes a registration that a social sign-in began.
    ///
    /// - Parameters:
    ///   - token: The `state_key` of the redirect.
    ///   - attributes: The texts of the registration's fields.
    ///   - completion: Receives the result, on the main actor.
    public func register(
        token: String,
        attributes: JSONObject,
        completion: @escaping @MainActor @Sendable (RegisterResult) -> Void
    ) {
        run({ completion(RegisterResult($0)) }) { (api) throws(ZephrError) in
            try await api.register(stateKey: Secret(token), attributes: attributes).id
        }
    }

    /// Finishes a registration that a social sign-in began, with the texts of a form.
    ///
    /// - Parameters:
    ///   - token: The `state_key` of the redirect.
    ///   - attributes: The texts of the registration's fields.
    ///   - completion: Receives the result, on the main actor.
    @_disfavoredOverload
    public func register(
        token: String,
        attributes: [String: String],
        completion: @escaping @MainActor @Sendable (RegisterResult) -> Void
    ) {
        var object = JSONObject()
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) { object[name] = .string(value) }
        register(token: token, attributes: object, completion: completion)
    }

    /// Registers a user with a password.
    public func register(
        email: String,
        password: String,
        attributes: JSONObject = [:],
        completion: @escaping @MainActor @Sendable (RegisterResult) -> Void
    ) {
        run({ completion(RegisterResult($0)) }) { (api) throws(ZephrError) in
            try await api.register(emailAddress: email, password: Secret(password), attributes: attributes).id
        }
    }

    /// Signs a user in with a password.
    public func login(
        email: String,
        password: String,
        completion: @escaping @MainActor @Sendable (LoginResult) -> Void
    ) {
        run({ completion(LoginResult($0)) }) { (api) throws(ZephrError) in
            try await api.logIn(emailAddress: email, password: Secret(password)).id
        }
    }

    /// Starts an anonymous session.
    public func anonymousSession(completion: @escaping @MainActor @Sendable (Result<Secret, ZephrError>) -> Void) {
        run(completion) { (api) throws(ZephrError) in try await api.startAnonymousSession().id }
    }

    /// Ends a session at the site; the app must discard it, whatever the outcome.
    public func logout(sessionId: Secret, completion: @escaping @MainActor @Sendable (Result<Void, ZephrError>) -> Void)
    {
        run(completion) { (api) throws(ZephrError) in try await api.logOut(try sendable(sessionId), from: nil) }
    }

    /// Permanently deletes the user at the site.
    public func forgetMe(
        sessionId: Secret,
        completion: @escaping @MainActor @Sendable (Result<Void, ZephrError>) -> Void
    ) {
        run(completion) { (api) throws(ZephrError) in try await api.forgetMe(try sendable(sessionId)) }
    }

    /// Makes a call and reports its outcome once.
    func run<Output: Sendable>(
        _ completion: @escaping @MainActor @Sendable (Result<Output, ZephrError>) -> Void,
        _ call: @escaping @Sendable (ZephrAPI) async throws(ZephrError) -> Output
    ) {
        Task {
            let result: Result<Output, ZephrError>
            do throws(ZephrError) {
                result = .success(try await call(try BlaizeConfiguration.shared.api()))
            } catch {
                result = .failure(error)
            }
            await completion(result)
        }
    }

    /// A session's id that can be a cookie's value; an app may have it from a URL.
    func sendable(_ id: Secret) throws(ZephrError) -> Secret {
        guard SessionCookie.isValue(id.reveal()) else {
            throw ZephrError(.configuration("A session id is one word of printable characters."))
        }
        return id
    }
}

extension BlaizeClient.RegisterResult {
    fileprivate init(_ result: Result<Secret, ZephrError>) {
        switch result {
        case .success(let id): self = .success(id)
        case .failure(let error) where error.reason == .userAlreadyExists: self = .userAlreadyExists
        case .failure(let error) where error.reason == .emailDomainRefused: self = .emailDomainBlacklisted
        case .failure(let error): self = .badRequest(error)
        }
    }
}

extension BlaizeClient.LoginResult {
    fileprivate init(_ result: Result<Secret, ZephrError>) {
        switch result {
        case .success(let id): self = .success(id)
        case .failure(let error) where error.reason == .userNotFound: self = .userNotFound
        case .failure(let error) where error.reason == .wrongPassword: self = .badPassword
        case .failure(let error): self = .badRequest(error)
        }
    }
}
