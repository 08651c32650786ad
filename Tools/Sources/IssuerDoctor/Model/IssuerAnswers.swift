import Foundation
import HTTPTypes
import OstiaryJOSE
package import OstiaryOAuth

/// The responses of an issuer, as the rules read them.
package struct IssuerAnswers: Sendable {
    /// The response to a request, or the reason none came.
    package typealias Answer = Result<EndpointResponse, TransportFailure>

    /// One of the two metadata documents that an issuer may have.
    package struct Document: Sendable {
        package let form: ServerMetadataRequest.Form
        package let url: String
        package let answer: Answer
        /// The JSON object in a response with status 200.
        let members: Result<JSONObject, SignInError>?

        package init(_ form: ServerMetadataRequest.Form, at url: String, _ answer: Answer) {
            self.form = form
            self.url = url
            self.answer = answer
            guard let response = try? answer.get(), response.status == .ok else {
                members = nil
                return
            }
            do throws(SignInError) {
                members = .success(try response.jsonObject(at: .discovery))
            } catch {
                members = .failure(error)
            }
        }

        var response: EndpointResponse? { try? answer.get() }
        var metadata: JSONObject? { try? members?.get() }
    }

    package let issuer: Issuer
    package let documents: [Document]
    /// The response with the key set; `nil` when it was not requested.
    package let keySet: Answer?
    /// The documents with metadata, the OpenID Connect one first.
    let readable: [Document]
    /// The members of both documents, the OpenID Connect one first.
    let metadata: JSONObject
    /// The entries of the key set; `nil` without a readable one.
    let keys: [PublishedKey]?
    /// Whether the key set was read to its end.
    let keySetReading: Result<JSONWebKeySet, JOSEError>?

    /// Takes the responses of an issuer.
    package init(_ issuer: Issuer, _ documents: [Document], keySet: Answer? = nil) {
        self.issuer = issuer
        self.documents = documents
        self.keySet = keySet
        readable = documents.filter { $0.metadata != nil }
        metadata = readable.compactMap(\.metadata).flatMap(\.members).reduce(into: JSONObject()) { all, member in
            if all[member.name] == nil { all[member.name] = member.value }
        }
        guard let response = try? keySet?.get(), response.status == .ok else {
            keySetReading = nil
            keys = nil
            return
        }
        do throws(JOSEError) {
            keySetReading = .success(try JSONWebKeySet(parsing: response.body))
        } catch {
            keySetReading = .failure(error)
        }
        guard case .success = keySetReading, let object = try? JSONObject(parsing: response.body) else {
            keys = nil
            return
        }
        keys = (object["keys"]?.array ?? []).enumerated().compactMap { index, entry in
            entry.object.map { PublishedKey(index, $0) }
        }
    }

    /// The failure of an issuer of which no response came at all; `nil` when something came.
    package var failure: TransportFailure? {
        let failures: [TransportFailure] = documents.compactMap { document in
            guard case .failure(let failure) = document.answer else { return nil }
            return [.redirectRefused, .tooLarge].contains(failure) ? nil : failure
        }
        return failures.count == documents.count ? failures.first : nil
    }

    /// Whether the issuer is on this machine, where http is permitted.
    var isLocal: Bool { issuer.url.scheme?.lowercased() == "http" }

    /// Whether the issuer's own URL is on this machine, with https or without.
    var isOnLoopback: Bool { URLComponents(string: issuer.description)?.isOnLoopback ?? false }

    /// Whether the issuer has an OpenID Connect document.
    var isOpenIDProvider: Bool { readable.contains { $0.form == .openIDConnect } }

    /// Every member that holds the URL of an endpoint or of the key set.
    var endpoints: [(name: String, value: JSONValue)] {
        metadata.members.filter { $0.name.hasSuffix("_endpoint") || $0.name == "jwks_uri" }.map { ($0.name, $0.value) }
    }

    /// Whether the metadata has a member.
    func has(_ name: String) -> Bool { metadata[name] != nil }

    /// The texts of an array; `nil` for a member that is missing or no array.
    func texts(_ name: String) -> [String]? { metadata[name]?.array.map { $0.compactMap(\.string) } }

    /// Whether a member is `true`.
    func isTrue(_ name: String) -> Bool { metadata[name]?.bool ?? false }

    /// The grants, with the default of RFC 8414 section 2.
    var grants: [String] { texts("grant_types_supported") ?? ["authorization_code", "implicit"] }

    /// Whether authorization codes are issued; `true` where the metadata does not say.
    var issuesCodes: Bool { grants.contains("authorization_code") }

    /// The response types as sets of their words.
    var responseTypes: [[String]] {
        (texts("response_types_supported") ?? []).map { $0.split(separator: " ").map(String.init) }
    }

    /// The authentication methods at the token endpoint, with the default of RFC 8414 section 2.
    var authenticationMethods: [String] {
        texts("token_endpoint_auth_methods_supported") ?? ["client_secret_basic"]
    }
}

extension URLComponents {
    /// Whether the host is this machine (RFC 6761 section 6.3, RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3).
    var isOnLoopback: Bool {
        let host = (host ?? "").lowercased()
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}
