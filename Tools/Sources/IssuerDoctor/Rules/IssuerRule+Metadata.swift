import OstiaryJOSE
import OstiaryOAuth

/// Rules about the metadata as a document.
extension IssuerRule {
    static let metadata: [IssuerRule] = [
        metadataForm, issuerMatch, metadataTypes, metadataRequired, metadataLists, documentsAgree, scopesOpenID,
        algorithmRS256, grantsAgree,
    ]

    private static let metadataForm = IssuerRule(
        "metadata-form",
        .metadata,
        .error,
        "The metadata is one JSON object without repeated members",
        source: "RFC 8414 section 3.2; RFC 8259 section 4",
        fix: "Serve one JSON object in UTF-8, with each member once."
    ) { answers in
        let found = answers.documents.filter { $0.members != nil }
        guard !found.isEmpty else { return nil }
        guard answers.readable.isEmpty else { return [] }
        return found.compactMap { document in
            guard case .failure(let error) = document.members, let type = document.response?.mediaType,
                type.hasSuffix("json")
            else { return nil }
            return Fault("\(document.url) cannot be read: \(error.message)")
        }
    }

    private static let issuerMatch = IssuerRule(
        "issuer-match",
        .metadata,
        .error,
        "The metadata names the requested issuer, character by character",
        source: "RFC 8414 section 3.3; OpenID Connect Discovery section 4.3",
        fix: "Write the same issuer in the metadata, in ID tokens and in the clients' configuration."
    ) { answers in
        guard !answers.readable.isEmpty else { return nil }
        return answers.readable.compactMap { document in
            let named = document.metadata?["issuer"]?.string ?? ""
            guard !named.unicodeScalars.elementsEqual(answers.issuer.description.unicodeScalars) else { return nil }
            return Fault(
                "The issuer is \(answers.issuer.description), and \(document.url) names another one.",
                now: named.isEmpty ? nil : named
            )
        }
    }

    private static let metadataTypes = IssuerRule(
        "metadata-types",
        .metadata,
        .error,
        "Each member has the type that its specification gives it",
        source: "RFC 8414 section 2",
        fix: "Write lists as arrays of strings, switches as true or false without quotes."
    ) { answers in
        guard !answers.readable.isEmpty else { return nil }
        return answers.metadata.members.compactMap { member in
            guard let type = MetadataType(ofMember: member.name), !type.fits(member.value) else { return nil }
            return Fault("\(member.name) is not \(type.rawValue).")
        }
    }

    private static let metadataRequired = IssuerRule(
        "metadata-required",
        .metadata,
        .error,
        "The metadata names the endpoints that a sign-in needs",
        source: "RFC 8414 section 2; OpenID Connect Discovery section 3",
        fix: "Add the member with the URL of the endpoint."
    ) { answers in
        guard !answers.readable.isEmpty else { return nil }
        return answers.readable.flatMap { document in
            let isOpenID = document.form == .openIDConnect
            let grants = Set(document.texts("grant_types_supported") ?? ["authorization_code", "implicit"])
            var names: [String] = isOpenID ? ["jwks_uri"] : []
            if isOpenID || !grants.isDisjoint(with: ["authorization_code", "implicit"]) {
                names.append("authorization_endpoint")
            }
            if grants != ["implicit"] { names.append("token_endpoint") }
            return document.lacking(names)
        }
    }

    private static let metadataLists = IssuerRule(
        "metadata-lists",
        .metadata,
        .warning,
        "The metadata has the lists that are required",
        source: "RFC 8414 section 2; OpenID Connect Discovery section 3",
        fix: "Add the list, such as \"subject_types_supported\": [\"public\"]."
    ) { answers in
        guard !answers.readable.isEmpty else { return nil }
        let ofOpenID = ["subject_types_supported", "id_token_signing_alg_values_supported"]
        return answers.readable.flatMap { document in
            document.lacking(["response_types_supported"] + (document.form == .openIDConnect ? ofOpenID : []))
        }
    }

    private static let documentsAgree = IssuerRule(
        "documents-agree",
        .metadata,
        .warning,
        "Both documents give a member the same value",
        source: "RFC 8414 section 5",
        fix: "Make both documents from the same settings."
    ) { answers in
        guard answers.readable.count == 2, let one = answers.readable[0].metadata,
            let other = answers.readable[1].metadata
        else { return nil }
        // The signed metadata is each document's own (RFC 8414 section 2.1).
        return one.members.filter { $0.name != "signed_metadata" }.compactMap { member in
            guard let value = other[member.name], value.inOrder != member.value.inOrder else { return nil }
            return Fault("\(member.name) differs between the two documents.", now: value.shortText)
        }
    }

    private static let scopesOpenID = IssuerRule(
        "scope-openid",
        .metadata,
        .warning,
        "The scope openid is listed",
        source: "OpenID Connect Discovery section 3",
        fix: "Add \"openid\" to scopes_supported."
    ) { answers in
        guard answers.isOpenIDProvider, let scopes = answers.texts("scopes_supported") else { return nil }
        return scopes.contains("openid")
            ? [] : [Fault("scopes_supported lacks openid.", now: scopes.joined(separator: " "))]
    }

    private static let algorithmRS256 = IssuerRule(
        "algorithm-rs256",
        .metadata,
        .note,
        "ID tokens can be signed with RS256, which every client understands",
        source: "OpenID Connect Discovery section 3",
        fix: "Offer RS256 for the clients that know no other algorithm."
    ) { answers in
        guard answers.isOpenIDProvider, let algorithms = answers.texts("id_token_signing_alg_values_supported") else {
            return nil
        }
        return algorithms.contains("RS256")
            ? []
            : [
                Fault(
                    "id_token_signing_alg_values_supported lacks RS256, the default of client registrations.",
                    now: algorithms.joined(separator: " ")
                )
            ]
    }

    private static let grantsAgree = IssuerRule(
        "grants-agree",
        .metadata,
        .warning,
        "Grants, response types and endpoints agree",
        source: "RFC 7591 section 2.1; RFC 8628 section 4; RFC 9126 section 5",
        fix: "List the grant and the endpoint together, or neither."
    ) { answers in
        guard !answers.readable.isEmpty else { return nil }
        var faults: [Fault] = []
        let grants = answers.grants
        let hasCode = answers.responseTypes.contains { $0.contains("code") }
        if hasCode, !grants.contains("authorization_code") {
            faults.append(
                Fault(
                    "The response type code is listed, the grant authorization_code is not.",
                    now: grants.joined(separator: " ")
                )
            )
        }
        let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
        let hasDeviceEndpoint = answers.has("device_authorization_endpoint")
        // A missing list says nothing about the device grant.
        if answers.has("grant_types_supported"), grants.contains(deviceGrant) != hasDeviceEndpoint {
            faults.append(
                Fault(
                    hasDeviceEndpoint
                        ? "device_authorization_endpoint is there, the grant \(deviceGrant) is not listed."
                        : "The grant \(deviceGrant) is listed, device_authorization_endpoint is missing."
                )
            )
        }
        if answers.isTrue("require_pushed_authorization_requests"),
            !answers.has("pushed_authorization_request_endpoint")
        {
            faults.append(Fault("Requests have to be pushed, and pushed_authorization_request_endpoint is missing."))
        }
        return faults
    }
}

/// The JSON type of a metadata member.
private enum MetadataType: String {
    case text = "a string"
    case texts = "an array of strings"
    case flag = "true or false"

    private static let flags: Set = [
        "authorization_response_iss_parameter_supported", "require_pushed_authorization_requests",
        "tls_client_certificate_bound_access_tokens", "claims_parameter_supported", "request_parameter_supported",
        "request_uri_parameter_supported", "require_request_uri_registration", "backchannel_logout_supported",
        "backchannel_logout_session_supported", "frontchannel_logout_supported",
        "frontchannel_logout_session_supported", "client_id_metadata_document_supported",
        "require_signed_request_object",
    ]

    private static let addresses: Set = [
        "issuer", "jwks_uri", "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "registration_endpoint",
        "revocation_endpoint", "introspection_endpoint", "end_session_endpoint", "device_authorization_endpoint",
        "pushed_authorization_request_endpoint", "backchannel_authentication_endpoint", "challenge_endpoint",
        "service_documentation", "op_policy_uri", "op_tos_uri", "check_session_iframe", "signed_metadata",
    ]

    private static let lists: Set = [
        "scopes_supported", "response_types_supported", "response_modes_supported", "grant_types_supported",
        "token_endpoint_auth_methods_supported", "token_endpoint_auth_signing_alg_values_supported",
        "revocation_endpoint_auth_methods_supported", "revocation_endpoint_auth_signing_alg_values_supported",
        "introspection_endpoint_auth_methods_supported", "introspection_endpoint_auth_signing_alg_values_supported",
        "introspection_signing_alg_values_supported", "introspection_encryption_alg_values_supported",
        "introspection_encryption_enc_values_supported", "ui_locales_supported", "claims_locales_supported",
        "code_challenge_methods_supported", "acr_values_supported", "subject_types_supported",
        "id_token_signing_alg_values_supported", "id_token_encryption_alg_values_supported",
        "id_token_encryption_enc_values_supported", "userinfo_signing_alg_values_supported",
        "userinfo_encryption_alg_values_supported", "userinfo_encryption_enc_values_supported",
        "request_object_signing_alg_values_supported", "request_object_encryption_alg_values_supported",
        "request_object_encryption_enc_values_supported", "authorization_signing_alg_values_supported",
        "authorization_encryption_alg_values_supported", "authorization_encryption_enc_values_supported",
        "display_values_supported", "claim_types_supported", "claims_supported", "prompt_values_supported",
        "dpop_signing_alg_values_supported", "authorization_details_types_supported",
        "backchannel_token_delivery_modes_supported",
        "backchannel_authentication_request_signing_alg_values_supported", "protected_resources",
    ]

    /// The type of a member by its name; `nil` for a member that is not of a specification known here.
    init?(ofMember name: String) {
        if Self.flags.contains(name) {
            self = .flag
        } else if Self.addresses.contains(name) {
            self = .text
        } else if Self.lists.contains(name) {
            self = .texts
        } else {
            return nil
        }
    }

    func fits(_ value: JSONValue) -> Bool {
        switch self {
        case .text: value.string != nil
        case .texts: value.array?.allSatisfy { $0.string != nil } ?? false
        case .flag: value.bool != nil
        }
    }
}

extension IssuerAnswers.Document {
    fileprivate func texts(_ name: String) -> [String]? { metadata?[name]?.array.map { $0.compactMap(\.string) } }

    /// A fault for each of these members that the document does not have.
    fileprivate func lacking(_ names: [String]) -> [IssuerRule.Fault] {
        names.filter { metadata?[$0] == nil }.map { IssuerRule.Fault("\($0) is missing in \(url).") }
    }
}

extension JSONValue {
    /// The value with the texts of an array sorted, since the order of a metadata list has no meaning.
    fileprivate var inOrder: JSONValue {
        guard let array, array.allSatisfy({ $0.string != nil }) else { return self }
        return .array(array.compactMap(\.string).sorted().map { .string($0) })
    }

    /// The value for a message; `nil` for an object.
    fileprivate var shortText: String? {
        string ?? bool.map { "\($0)" } ?? array.map { $0.compactMap(\.string).joined(separator: " ") }
    }
}
