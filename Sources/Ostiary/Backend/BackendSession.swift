import HTTPTypes
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A session at the app's own backend, which holds the tokens.
public struct BackendSession: Sendable {
    /// The user's identifier, as the backend verified it.
    public let subject: String
    /// The time at which the session ends at the latest; `nil` when the backend stated none.
    public let expiry: Date?
    /// The user data that the issuer posted unsigned, such as the name that Apple sends once; `nil` for a restored
    /// session.
    public let unverifiedUser: JSONObject?
    private let handle: Secret
    private let backend: BackendClient

    init(
        of backend: BackendClient,
        handle: Secret,
        subject: String,
        expiry: Date?,
        unverifiedUser: JSONObject?
    ) {
        self.backend = backend
        self.handle = handle
        self.subject = subject
        self.expiry = expiry
        self.unverifiedUser = unverifiedUser
    }

    init(of backend: BackendClient, stored: [UInt8]) throws(SignInError) {
        guard let object = try? JSONObject(parsing: stored), object["version"]?.integer == 1,
            object["base"]?.string == backend.base.absoluteString, let handle = object["session"]?.string,
            let subject = object["sub"]?.string
        else { throw SignInError(.storage, .storage(.corrupted)) }
        self.init(
            of: backend,
            handle: Secret(handle),
            subject: subject,
            expiry: object["expires"]?.number.map { Date(timeIntervalSince1970: $0) },
            unverifiedUser: nil
        )
    }

    /// The session as the bytes that a store keeps.
    var stored: [UInt8] {
        var object: JSONObject = [
            "version": 1, "base": .string(backend.base.absoluteString), "session": .string(handle.reveal()),
            "sub": .string(subject),
        ]
        object["expires"] = expiry.map { .number($0.timeIntervalSince1970) }
        return object.encoded()
    }

    /// Sends a request to the backend, with the handle and a proof by this installation's key.
    ///
    /// When the backend requires a nonce, the request is sent once more with it. Redirects are returned, not followed.
    ///
    /// - Parameter request: A request to the backend's own origin; an `Authorization` field of its own is replaced.
    /// - Returns: The response, whatever its status.
    /// - Throws: `configuration` at stage `resource` for another origin, and nothing is sent; `signInRequired` when the
    ///   backend no longer knows the session, which is then removed here; `transport` when no response came.
    public func data(for request: EndpointRequest) async throws(SignInError) -> EndpointResponse {
        guard let origin = Origin(request.url), origin == Origin(backend.base) else {
            throw SignInError(
                .resource,
                .configuration("The session is for \(backend.base.absoluteString) and goes to no other origin.")
            )
        }
        let key = try await backend.installation.key()
        let exchange = ResourceRequest(request, showing: handle, boundTo: key)
        let response = try await backend.transport.perform(exchange, in: backend.context)
        guard response.status == .unauthorized else { return response }
        let codes = AuthenticateChallenge.list(in: response.fields).compactMap { $0.error?.code }
        guard codes.contains(.invalidToken) else { return response }
        try await backend.forget(self)
        throw SignInError(.resource, .signInRequired)
    }

    /// Ends the session: here first, then at the backend, which revokes its tokens.
    ///
    /// - Returns: Whether the backend confirmed it; if not, its session ends when it expires.
    /// - Throws: `storage` when the handle could not be removed here; nothing has been sent.
    @discardableResult
    public func signOut() async throws(SignInError) -> Bool {
        try await backend.forget(self)
        let request = EndpointRequest(url: backend.base.appending(path: "session"), method: .delete)
        do throws(SignInError) {
            return try await data(for: request).status.kind == .successful
        } catch {
            // The backend no longer knew the session.
            return error.reason == .signInRequired
        }
    }
}

extension BackendSession: CustomStringConvertible, CustomReflectable {
    /// The backend's URL; no data about the user and no handle.
    public var description: String { "BackendSession(\(backend.base.absoluteString))" }
    /// The backend's URL.
    public var customMirror: Mirror { Mirror(self, children: ["backend": backend.base.absoluteString]) }
}
