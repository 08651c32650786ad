public import Ostiary

extension Logi {
    /// Signs the user in by the app's own backend, which makes the page, redeems the code and keeps the tokens.
    ///
    /// The backend's half is `LogiBackend` of OstiaryLogiServer.
    ///
    /// - Returns: The session at the backend, already stored; the app receives no token.
    /// - Throws: `malformed` at stage `authorization` when the backend's two pages differ in more than the host;
    ///   otherwise as ``authorize(_:)``, `BackendClient.start()` and
    ///   `BackendClient.finish(code:state:issuer:)`.
    public func signIn(by backend: BackendClient) async throws(SignInError) -> BackendSession {
        let page = try await backend.start()
        let start: LogiStartURL
        do throws(LogiStartURL.Problem) {
            start = try LogiStartURL(page.url, native: page.nativeURL)
        } catch {
            throw SignInError(.authorization, .malformed("the backend's start_url: \(error)"))
        }
        let callback = try await authorize(start)
        return try await backend.finish(code: callback.code, state: callback.state, issuer: callback.issuer)
    }
}
