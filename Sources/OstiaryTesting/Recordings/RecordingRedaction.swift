import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The written form of a recording's messages, with or without their secrets.
///
/// A value is kept only if its name is on a list (``RedactionNames``): any other value may be a secret or about the
/// user.
struct RecordingRedaction: Sendable {
    private let redacts: Bool

    init(_ redaction: ExchangeRecorder.Redaction) { redacts = redaction == .secrets }

    /// The kind of a body.
    enum Content {
        /// A public document of the server, such as its metadata.
        case published
        /// A message between a client and a server.
        case exchanged

        /// The content of the response to a request.
        init(ofResponseTo request: EndpointRequest) {
            let fields = request.allFields
            let isOpen = fields[.authorization] == nil && fields[.cookie] == nil && fields[.dpop] == nil
            // A query can name a user, as WebFinger's does.
            self = request.method == .get && isOpen && request.url.query() == nil ? .published : .exchanged
        }
    }

    /// The header fields and the body as members.
    func message(_ fields: HTTPFields, _ body: [UInt8], _ content: Content = .exchanged) -> JSONObject {
        var message: JSONObject = [
            "headers": .array(fields.compactMap { field in header(field).map { .array($0.map { .string($0) }) } })
        ]
        let type = fields[.contentType].map { String($0.prefix { $0 != ";" }).lowercased() } ?? ""
        let body = redacts ? redacted(body, of: type, content) : body
        if let text = String(utf8: body) {
            message["body"] = .string(text)
        } else {
            message["body_base64"] = .string(Data(body).base64EncodedString())
        }
        return message
    }

    /// A URL without its user info and without the secrets of its query and its fragment; either is dropped where it
    /// cannot be read.
    func url(_ url: String) -> String {
        guard redacts else { return url }
        let bytes = Array(url.utf8)
        let hash = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        let mark = bytes[..<hash].firstIndex(of: UInt8(ascii: "?")) ?? hash
        let place = Self.withoutUserInfo(bytes[..<mark])
        let isOfUser = place.hasSuffix("/.well-known/webfinger")
        return place + parameters(after: "?", bytes[mark..<hash], isOfUser)
            + parameters(after: "#", bytes[hash...], false)
    }

    /// A URL up to its path; what stands before an `@` of its authority can be a password (RFC 3986 section 3.2.1).
    private static func withoutUserInfo(_ place: ArraySlice<UInt8>) -> String {
        let slash = UInt8(ascii: "/")
        let pairs = zip(place.indices, place.indices.dropFirst())
        guard let start = pairs.first(where: { place[$0] == slash && place[$1] == slash })?.1 else {
            return String(decoding: place, as: UTF8.self)
        }
        let authority = place[(start + 1)...].prefix { $0 != slash }
        let kept = authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? authority.startIndex
        return String(decoding: place[...start] + place[kept...], as: UTF8.self)
    }

    /// Returns a query or a fragment with its delimiter; empty when it is missing or unreadable.
    private func parameters(after delimiter: String, _ bytes: ArraySlice<UInt8>, _ isOfUser: Bool) -> String {
        let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
        guard !text.isEmpty, let parameters = FormURLEncoding.decode(text) else { return "" }
        return delimiter + FormURLEncoding.encode(redacted(parameters, isOfUser))
    }

    /// Arguments of a command: URLs among them are redacted like other URLs.
    func arguments(_ arguments: [String]) -> [String] {
        guard redacts else { return arguments }
        return arguments.map { $0.contains("://") ? url($0) : $0 }
    }

    /// Returns the output of a command.
    func answer(_ answer: JSONObject) -> JSONObject { redacts ? redacted(answer) : answer }

    private func header(_ field: HTTPField) -> [String]? {
        guard redacts else { return [field.name.rawName, field.value] }
        switch field.name {
        case .cookie, .setCookie: return nil
        case .authorization, .proxyAuthorization:
            return [field.name.rawName, field.value.prefix { $0 != " " } + " redacted"]
        case .location: return [field.name.rawName, url(field.value)]
        default:
            let isKept = RedactionNames.fields.contains(field.name.canonicalName)
            return [field.name.rawName, isKept ? field.value : "redacted"]
        }
    }

    private func redacted(_ body: [UInt8], of type: String, _ content: Content) -> [UInt8] {
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
        return content == .published ? body : redacted(object).encoded()
    }

    private func redacted(_ parameters: Parameters, _ isOfUser: Bool = false) -> Parameters {
        var result = Parameters()
        for pair in parameters.pairs {
            let name = pair.name.rawValue
            let value = isOfUser && name == "resource" ? "redacted" : self.value(pair.value, named: name)
            result.append(value, for: .init(rawValue: Self.name(name, of: pair.value)))
        }
        return result
    }

    private func redacted(_ object: JSONObject) -> JSONObject {
        object.members.reduce(into: JSONObject()) { result, member in
            result[Self.name(member.name, of: "value")] = redacted(member.value, named: member.name, in: object)
        }
    }

    private func redacted(_ value: JSONValue, named name: String, in object: JSONObject) -> JSONValue {
        if name == "jwks" { return RedactionNames.isPublic(value) ? value : "redacted" }
        // The issuer that WebFinger names for a user (OpenID Connect Discovery section 2).
        if name == "href", object["rel"] == "http://openid.net/specs/connect/1.0/issuer" { return value }
        switch value {
        case .string(let text): return .string(self.value(text, named: name))
        case .array(let values): return .array(values.map { redacted($0, named: name, in: object) })
        case .object(let object):
            let isKept = RedactionNames.plain.contains(name) || RedactionNames.objects.contains(name)
            return isKept ? .object(redacted(object)) : "redacted"
        default: return RedactionNames.plain.contains(name) || value.isNull ? value : "redacted"
        }
    }

    /// Returns a value unchanged, as a token without its signature, as a fingerprint, or not at all.
    private func value(_ text: String, named name: String) -> String {
        if text.isEmpty || RedactionNames.plain.contains(name) { return text }
        if RedactionNames.links.contains(name) { return url(text) }
        if RedactionNames.tokens.contains(name) { return token(text) }
        return RedactionNames.fingerprinted.contains(name) ? fingerprint(text) : "redacted"
    }

    /// Returns a name, unless it can be a value: a query may consist of a token alone.
    private static func name(_ name: String, of value: String) -> String {
        if RedactionNames.all.contains(name) { return name }
        let isWord = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || "_-.".utf8.contains(byte)
        }
        return isWord && name.utf8.count <= 32 && !value.isEmpty ? name : "redacted"
    }

    /// A token with its header and the protocol's claims, without its signature.
    private func token(_ text: String) -> String {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = try? Base64URL.decode(parts[1]),
            let claims = try? JSONObject(parsing: bytes)
        else { return fingerprint(text) }
        return "\(parts[0]).\(Base64URL.encode(redacted(claims).encoded())).redacted"
    }

    private func fingerprint(_ text: String) -> String { "redacted-" + (Verdict.fingerprint(text) ?? "").dropFirst(7) }
}
