public import HTTPTypes
public import OstiaryJOSE
public import OstiaryOAuth
public import OstiaryServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Checks that a route of a server accepts a valid token, and rejects every other one with the required response.
///
/// It makes the tokens itself, with a key that the route must trust, and presents one with each fault that a token can
/// have. Any kind of guard is allowed; only the route's responses count. (RFC 9068 section 4, RFC 6750 section 3)
///
///     try await GuardedRouteCheck(issuer: issuer, audience: audience, scopes: ["orders"], key: key) { fields in
///         let response = try await client.execute(uri: "/orders", method: .get, headers: fields)
///         return .init(status: response.status, fields: response.headers)
///     }.run()
public struct GuardedRouteCheck: Sendable {
    /// The response of a route.
    public struct Answer: Sendable {
        /// The status.
        public var status: HTTPResponse.Status
        /// The header fields.
        public var fields: HTTPFields

        /// Takes a response.
        public init(status: HTTPResponse.Status, fields: HTTPFields) {
            self.status = status
            self.fields = fields
        }
    }

    let issuer: Issuer
    let audience: String
    let scopes: [Scope]
    let key: SigningKey
    let now: @Sendable () -> Date
    private let ask: @Sendable (HTTPFields) async throws -> Answer

    /// Makes a check of a route that accepts bearer tokens.
    ///
    /// - Parameters:
    ///   - issuer: The issuer of the accepted tokens.
    ///   - audience: The audience of the accepted tokens.
    ///   - scopes: The scopes that the route requires; with none, scopes are not checked.
    ///   - key: One of the issuer's keys, which the route knows.
    ///   - clock: The route's time. Default: the system's.
    ///   - ask: Sends a request with these fields to the route.
    public init(
        issuer: Issuer,
        audience: String,
        scopes: [Scope] = [],
        key: SigningKey,
        clock: DeviceClock = .server,
        asking ask: @escaping @Sendable (HTTPFields) async throws -> Answer
    ) {
        self.issuer = issuer
        self.audience = audience
        self.scopes = scopes
        self.key = key
        now = clock.now
        self.ask = ask
    }

    /// Checks every promise.
    ///
    /// - Throws: ``BrokenPromise``; the error of the request.
    public func run() async throws {
        let good = try token()
        let answer = try await ask(Self.bearer(good))
        try expect(answer.status.kind == .successful, "A valid token is accepted.", answer)
        try await checkCredentials(good)
        for fault in try faults() {
            let answer = try await ask(Self.bearer(fault.token))
            try expect(answer.status == fault.status, "A token \(fault.name) is refused.", answer)
            let challenges = answer.fields[values: .wwwAuthenticate]
            try expect(
                challenges.contains { $0.contains("error=\"\(fault.code)\"") },
                "A token \(fault.name) gets a challenge with \(fault.code).",
                answer
            )
            try expect(
                !answer.fields.contains { $0.value.contains(fault.token) },
                "No response repeats a token.",
                answer
            )
        }
        let last = try await ask(Self.bearer(good))
        try expect(last.status.kind == .successful, "A valid token is still accepted after every fault.", last)
    }

    private func checkCredentials(_ good: String) async throws {
        let none = try await ask([:])
        try expect(none.status == .unauthorized, "A request without a token is refused.", none)
        try expect(
            none.fields[values: .wwwAuthenticate].contains { !$0.contains("error=") },
            "A request without a token gets a challenge without an error.",
            none
        )
        var twice = Self.bearer(good)
        twice.append(HTTPField(name: .authorization, value: "Bearer \(good)"))
        let answer = try await ask(twice)
        try expect(answer.status.kind == .clientError, "Two Authorization fields are refused.", answer)
        let endless = "Bearer " + String(repeating: "a", count: 20_000)
        for value in ["Bearer", "Bearer ", "Bearer a b", "Bearer \(good),", "Basic \(good)", good, endless] {
            let answer = try await ask([.authorization: value])
            try expect(
                answer.status.kind == .clientError,
                "A request without a well-formed bearer token is refused.",
                answer
            )
        }
    }

    private func expect(_ holds: Bool, _ promise: String, _ answer: Answer) throws(BrokenPromise) {
        guard holds else { throw BrokenPromise(promise, found: "\(answer.status.code)") }
    }

    private static func bearer(_ token: String) -> HTTPFields { [.authorization: "Bearer " + token] }
}
