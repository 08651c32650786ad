#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A redirect to our redirect URI, taken apart and not yet believed.
struct AuthorizationRedirect {
    private let parameters: Parameters

    /// Takes a URL apart that goes exactly to the redirect URI: scheme and host without regard to case, port, path and
    /// the redirect URI's own query exactly (RFC 9700 section 4.1.3).
    init(_ url: URL, to redirectURI: RedirectURI) throws(SignInError) {
        let expected = redirectURI.parts
        guard let given = URIParts(url), given.scheme == expected.scheme, given.authority?.userInfo == nil,
            given.authority?.host == expected.authority?.host, given.effectivePort == expected.effectivePort,
            given.path == expected.path || (given.path + expected.path == "/" && given.authority != nil)
        else { throw SignInError(.redirect, .mismatch(.redirectURI)) }
        guard var found = FormURLEncoding.decode(given.query ?? "") else {
            throw SignInError(.redirect, .malformed("the redirect's query"))
        }
        if let own = expected.query.flatMap({ FormURLEncoding.decode($0) }) {
            for pair in own.pairs {
                guard found.values(of: pair.name).contains(pair.value) else {
                    throw SignInError(.redirect, .mismatch(.redirectURI))
                }
                found = found.removingFirst(pair)
            }
        }
        parameters = found
    }

    /// The value of a parameter that occurs once.
    func single(_ name: Parameters.Name) -> String? {
        let values = parameters.values(of: name)
        return values.count == 1 ? values[0] : nil
    }

    /// Refuses a redirect in which one of these occurs twice (RFC 6749 section 3.1).
    func refuseRepeated(_ names: [Parameters.Name]) throws(SignInError) {
        if names.contains(where: { parameters.values(of: $0).count > 1 }) {
            throw SignInError(.redirect, .mismatch(.repeatedParameter))
        }
    }

    /// Refuses a redirect that carries one of these.
    func refuse(_ names: [Parameters.Name]) throws(SignInError) {
        if names.contains(where: { parameters[$0] != nil }) {
            throw SignInError(.redirect, .mismatch(.unexpectedParameter))
        }
    }

    /// The error that the server answered with; a description that is repeated, as one server does for each character
    /// of it, is left out.
    var error: OAuthError? {
        single(.error).map {
            OAuthError(code: .init(rawValue: $0), description: single(.errorDescription), uri: single(.errorURI))
        }
    }
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
