#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A redirect to our redirect URI, taken apart and not yet believed.
///
/// ``PendingAuthorization/grant(from:)`` makes and checks one; a system whose redirects carry something else than a
/// code reads them with this.
public struct AuthorizationRedirect: Sendable {
    private let parameters: Parameters

    /// Takes a URL apart that goes exactly to the redirect URI: scheme and host without regard to case, port, path and
    /// the redirect URI's own query exactly (RFC 9700 section 4.1.3).
    ///
    /// - Throws: At stage `redirect`: `mismatch` when it goes elsewhere, `malformed` when its query cannot be read.
    public init(_ url: URL, to redirectURI: RedirectURI) throws(SignInError) {
        var verdict = Verdict(.redirect)
        try self.init(url, to: redirectURI, recording: &verdict)
    }

    init(_ url: URL, to redirectURI: RedirectURI, recording verdict: inout Verdict) throws(SignInError) {
        let given = URIParts(url)
        try verdict.require(
            "redirect.place",
            .redirectURI,
            "RFC 9700 section 4.1.3",
            expected: redirectURI.description,
            found: url.withoutQuery,
            given.map { Self.goes($0, to: redirectURI.parts) } ?? false
        )
        guard var found = FormURLEncoding.decode(given?.query ?? "") else {
            throw SignInError(verdict.stage, .malformed("the redirect's query"))
        }
        let own = redirectURI.parts.query.flatMap { FormURLEncoding.decode($0) }?.pairs ?? []
        let isWhole = own.allSatisfy { pair in
            let isThere = found.values(of: pair.name).contains(pair.value)
            found = found.removingFirst(pair)
            return isThere
        }
        try verdict.require("redirect.query", .redirectURI, "RFC 6749 section 3.1.2", isWhole)
        parameters = found
    }

    private static func goes(_ given: URIParts, to expected: URIParts) -> Bool {
        given.scheme == expected.scheme && given.authority?.userInfo == nil
            && given.authority?.host == expected.authority?.host && given.effectivePort == expected.effectivePort
            && (given.path == expected.path || (given.path + expected.path == "/" && given.authority != nil))
    }

    /// The value of a parameter that occurs once; `nil` for none, and for several of one name.
    public func single(_ name: Parameters.Name) -> String? {
        let values = parameters.values(of: name)
        return values.count == 1 ? values[0] : nil
    }

    /// Whether one of these occurs twice (RFC 6749 section 3.1).
    public func repeats(_ names: [Parameters.Name]) -> Bool { names.contains { parameters.values(of: $0).count > 1 } }

    /// Whether one of these occurs.
    public func contains(_ names: [Parameters.Name]) -> Bool { names.contains { parameters[$0] != nil } }

    /// The error that the server answered with; `nil` for none.
    ///
    /// A description that is repeated, as one server does for each character of it, is left out.
    public var error: OAuthError? {
        single(.error).map {
            OAuthError(code: .init(rawValue: $0), description: single(.errorDescription), uri: single(.errorURI))
        }
    }
}

extension AuthorizationRedirect: CustomStringConvertible, CustomReflectable {
    /// The parameters' names; nothing of their values.
    public var description: String {
        "AuthorizationRedirect(\(parameters.names.map(\.rawValue.debugDescription).joined(separator: ", ")))"
    }
    /// The parameters' names.
    public var customMirror: Mirror { Mirror(self, children: ["names": description]) }
}

extension Parameters {
    fileprivate func removingFirst(_ pair: Pair) -> Parameters {
        var rest = Parameters()
        var removed = false
        for other in pairs {
            if !removed, other == pair {
                removed = true
            } else {
                rest.append(other.value, for: other.name)
            }
        }
        return rest
    }
}
