import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The values of a request that an error must not contain, wherever the server repeats them.
///
/// Every parameter, credential and proof of the request is masked, except the parameters that name the client and the
/// kind of request. A value of fewer than 4 bytes is not masked: it is not secret, and any word may contain it.
struct SentValues {
    private var values: [[UInt8]] = []

    /// Collects the values of a request.
    init(_ request: EndpointRequest) {
        for pair in request.form.pairs where !Self.publicParameters.contains(pair.name) { add(pair.value) }
        for field in request.fields where !Self.publicFields.contains(field.name) {
            add(field.value)
            // A credential without its scheme.
            for word in field.value.split(separator: " ").dropFirst() {
                add(String(word))
                if let password = Self.basicPassword(word) { add(password) }
            }
        }
        if let content = request.content, let members = try? JSONObject(parsing: content.bytes) {
            for name in Self.secretMembers { if let text = members[name]?.string { add(text) } }
        }
        sort()
    }

    /// Collects values that left in another way, such as in a URL that the user opened.
    init(_ secrets: [Secret]) {
        for secret in secrets { add(secret.reveal()) }
        sort()
    }

    private mutating func add(_ value: String) {
        for form in Set([value, FormURLEncoding.escape(value)]) where form.utf8.count >= Self.shortest {
            values.append(Array(form.utf8))
        }
    }

    /// Sorts the values, the longest first, so that a part is not masked before the whole.
    private mutating func sort() { values.sort { $0.count > $1.count } }

    /// Returns the error without these values.
    func masking(_ error: SignInError) -> SignInError {
        var masked = error
        masked.serverMessage = error.serverMessage.map(mask)
        masked.requestID = error.requestID.flatMap { mask($0) == $0 ? $0 : nil }
        if case .refused(let refusal) = error.reason { masked.reason = .refused(masking(refusal)) }
        return masked
    }

    /// Returns the error without these values.
    func masking(_ error: OAuthError) -> OAuthError {
        var masked = error
        // A registered code is not secret, and decides whether the session ends.
        if !error.code.isRegistered { masked.code = OAuthError.Code(rawValue: mask(error.code.rawValue)) }
        masked.description = error.description.map(mask)
        masked.uri = error.uri.map(mask)
        return masked
    }

    /// Masks the values in a text, comparing bytes, not characters: a combining mark after a value does not hide it.
    private func mask(_ text: String) -> String {
        var rest = Array(text.utf8)[...]
        guard values.contains(where: { Self.mayContain(rest, $0) }) else { return text }
        var masked: [UInt8] = []
        while let byte = rest.first {
            if let value = values.first(where: { Self.starts(rest, with: $0) }) {
                masked += Array("[redacted]".utf8)
                rest = rest.dropFirst(value.count)
            } else {
                masked.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: masked, as: UTF8.self)
    }

    /// Whether a text begins with a value, or ends within one, since long texts are cut off.
    private static func starts(_ text: ArraySlice<UInt8>, with value: [UInt8]) -> Bool {
        text.starts(with: value) || (text.count >= shortestPart && text.count < value.count && value.starts(with: text))
    }

    private static func mayContain(_ text: ArraySlice<UInt8>, _ value: [UInt8]) -> Bool {
        value.first.map(text.contains) ?? false
    }

    private static func basicPassword(_ word: Substring) -> String? {
        guard let data = Data(base64Encoded: String(word)), let text = String(utf8: data),
            let colon = text.firstIndex(of: ":")
        else { return nil }
        return FormURLEncoding.unescape(text[text.index(after: colon)...])
    }

    private static let shortest = 4
    /// The least number of a value's first bytes that are masked at the end of a text.
    private static let shortestPart = 8
    private static let publicFields: Set<HTTPField.Name> = [
        .accept, .acceptLanguage, .contentType, .ifNoneMatch, .userAgent,
    ]
    private static let secretMembers = [
        "access_token", "client_secret", "code", "code_verifier", "id_token", "password", "refresh_token",
        "software_statement", "token",
    ]
    private static let publicParameters: Set<Parameters.Name> = [
        .acrValues, .actorTokenType, .audience, .clientAssertionType, .clientID, .codeChallengeMethod, .grantType,
        .maxAge, .prompt, .redirectURI, .requestedTokenType, .resource, .responseMode, .responseType, .scope,
        .subjectTokenType, .tokenTypeHint, .uiLocales,
    ]
}
