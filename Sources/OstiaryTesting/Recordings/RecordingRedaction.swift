import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The messages of a recording, written with or without their secrets.
struct RecordingRedaction: Sendable {
    private let redacts: Bool

    init(_ redaction: ExchangeRecorder.Redaction) { redacts = redaction == .secrets }

    /// The header fields and the body as members.
    ///
    /// - Parameter isPersonal: Whether the body is about the user, such as user info.
    func message(_ fields: HTTPFields, _ body: [UInt8], isAnswer: Bool, isPersonal: Bool = false) -> JSONObject {
        var message: JSONObject = [
            "headers": .array(fields.compactMap { field in header(field).map { .array($0.map { .string($0) }) } })
        ]
        let type = fields[.contentType].map { String($0.prefix { $0 != ";" }).lowercased() } ?? ""
        let body = redacts ? redacted(body, of: type, isPersonal: isPersonal) : body
        if let text = String(validating: body, as: UTF8.self) {
            message["body"] = .string(text)
        } else {
            message["body_base64"] = .string(Data(body).base64EncodedString())
        }
        return message
    }

    /// A URL without the secrets of its query.
    func url(_ url: String) -> String {
        guard redacts, let query = URIParts(url)?.query, let parameters = FormURLEncoding.decode(query) else {
            return url
        }
        return url.prefix { $0 != "?" } + "?" + FormURLEncoding.encode(redacted(parameters))
    }

    /// The answer of a command.
    func answer(_ answer: JSONObject) -> JSONObject {
        guard redacts else { return answer }
        var answer = redacted(answer)
        if let claims = answer["claims"]?.object { answer["claims"] = .object(impersonal(claims)) }
        return answer
    }

    /// Names of parameters and members whose values give access, in lowercase and without underscores.
    private static let secretNames: Set<String> = [
        "code", "codeverifier", "accesstoken", "refreshtoken", "devicecode", "usercode", "clientsecret",
        "clientassertion", "assertion", "subjecttoken", "actortoken", "token", "registrationaccesstoken", "password",
        "softwarestatement", "key", "sessionid", "verificationuricomplete",
    ]
    private static let tokenNames: Set<String> = ["idtoken", "idtokenhint", "logouttoken"]

    /// Claims of the protocol; all other claims are about the user.
    private static let protocolClaims: Set<String> = [
        "iss", "aud", "exp", "iat", "nbf", "auth_time", "nonce", "acr", "amr", "azp", "at_hash", "c_hash", "s_hash",
        "jti", "sid", "typ", "scope", "client_id", "token_type", "active", "error", "error_description",
    ]

    private func header(_ field: HTTPField) -> [String]? {
        guard redacts else { return [field.name.rawName, field.value] }
        switch field.name {
        case .cookie, .setCookie: return nil
        case .authorization, .proxyAuthorization:
            return [field.name.rawName, field.value.prefix { $0 != " " } + " redacted"]
        case .location: return [field.name.rawName, url(field.value)]
        case .dpop, .clientAttestation, .clientAttestationProof: return [field.name.rawName, "redacted"]
        default: return [field.name.rawName, field.value]
        }
    }

    private func redacted(_ body: [UInt8], of type: String, isPersonal: Bool) -> [UInt8] {
        guard !body.isEmpty else { return [] }
        if type == "application/x-www-form-urlencoded" {
            guard let form = FormURLEncoding.decode(String(decoding: body, as: UTF8.self)) else { return [] }
            return Array(FormURLEncoding.encode(redacted(form)).utf8)
        }
        if type == "application/jwt" { return Array(token(String(decoding: body, as: UTF8.self)).utf8) }
        // A body of another kind can hold anything.
        guard type == "application/json" || type.hasSuffix("+json"), let object = try? JSONObject(parsing: body) else {
            return Array("redacted".utf8)
        }
        return (isPersonal && type == "application/json" ? impersonal(redacted(object)) : redacted(object)).encoded()
    }

    private func redacted(_ parameters: Parameters) -> Parameters {
        var result = Parameters()
        for pair in parameters.pairs { result.append(value(pair.value, named: pair.name.rawValue), for: pair.name) }
        return result
    }

    private func redacted(_ object: JSONObject) -> JSONObject {
        object.members.reduce(into: JSONObject()) { result, member in
            result[member.name] = redacted(member.value, named: member.name)
        }
    }

    private func redacted(_ value: JSONValue, named name: String) -> JSONValue {
        switch value {
        case .string(let text): .string(self.value(text, named: name))
        case .object(let object): .object(redacted(object))
        case .array(let values): .array(values.map { redacted($0, named: name) })
        default: value
        }
    }

    private func value(_ text: String, named name: String) -> String {
        let name = name.lowercased().filter { $0 != "_" }
        if Self.tokenNames.contains(name) { return token(text) }
        guard Self.secretNames.contains(name), !text.isEmpty else { return text }
        // A value that a human chose could be guessed from a fingerprint.
        return ["password", "clientsecret", "usercode"].contains(name) ? "redacted" : fingerprint(text)
    }

    /// A token with its header and the protocol's claims, without its signature.
    private func token(_ text: String) -> String {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = try? Base64URL.decode(parts[1]),
            let claims = try? JSONObject(parsing: bytes)
        else { return fingerprint(text) }
        return "\(parts[0]).\(Base64URL.encode(impersonal(claims).encoded())).redacted"
    }

    private func impersonal(_ claims: JSONObject) -> JSONObject {
        claims.members.reduce(into: JSONObject()) { result, member in
            if Self.protocolClaims.contains(member.name) {
                result[member.name] = member.value
            } else if member.name == "sub", let subject = member.value.string {
                result["sub"] = .string(fingerprint(subject))
            } else {
                result[member.name] = "redacted"
            }
        }
    }

    private func fingerprint(_ text: String) -> String { "redacted-" + (Verdict.fingerprint(text) ?? "").dropFirst(7) }
}
