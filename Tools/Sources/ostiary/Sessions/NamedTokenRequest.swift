import Ostiary
import OstiaryOAuth

/// A request about one token, sent by a named client or by that of a profile.
struct NamedTokenRequest: Sendable {
    private let subject: TokenOptions
    private let client: ClientOptions
    private let place: SessionOptions

    init(_ subject: TokenOptions, _ client: ClientOptions, _ place: SessionOptions) {
        self.subject = subject
        self.client = client
        self.place = place
    }

    /// Sends the request.
    ///
    /// `done` is called after a request about the session's own token.
    ///
    /// - Throws: ``UsageError`` when there is no token or no client; the error of the request.
    func perform(
        on console: Console,
        telling trace: Trace,
        afterwards done: (StoredSignIn, Secret) async throws(SignInError) -> Void = { _, _ in },
        _ ask: (SignInClient, Secret) async throws(SignInError) -> Answer
    ) async throws -> Answer {
        if let token = try await subject.token(console: console) {
            let profile = Profile(name: place.profile, store: place.store.open())
            let record = try await client.knownRecord(of: profile, console: console)
            return try await ask(try await SignInClient(record, of: profile, telling: trace), token)
        }
        guard client.clientID == nil else {
            throw UsageError("Give a token: --token-file FILE, or - for standard input.")
        }
        return try await StoredSignIn.with(place, telling: trace) { signIn in
            // An expired one is refreshed: a request about it would be useless.
            let token = try await signIn.session.accessToken(minimumValidity: .zero)
            let answer = try await ask(signIn.client, token)
            try await done(signIn, token)
            return answer
        }
    }
}

extension ClientOptions {
    /// The client that was named; otherwise that of the profile's session, or the one that is registered for it.
    func knownRecord(of profile: Profile, console: Console) async throws -> ProfileRecord {
        if clientID == nil, issuer == nil, let record = try await profile.record() { return record }
        return try await record(in: profile, console: console)
    }
}
