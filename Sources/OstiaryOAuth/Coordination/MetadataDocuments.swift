import OstiaryJOSE

/// An issuer's two metadata documents, as far as they are known.
///
/// Some servers name an endpoint in only one of them. (OpenID Connect Discovery section 4, RFC 8414 section 3)
package struct MetadataDocuments: Sendable, Hashable {
    /// The state of one document.
    package enum Document: Sendable, Hashable {
        /// The document was not requested yet.
        case unread
        /// The issuer has no usable document of this form.
        case absent
        /// The content of the document.
        case read(AuthorizationServer)
    }

    /// The document of OpenID Connect Discovery.
    package private(set) var openIDConnect = Document.unread
    /// The document of RFC 8414.
    package private(set) var oauth = Document.unread

    /// Starts with one document.
    package init(_ server: AuthorizationServer, _ form: ServerMetadataRequest.Form) { self[form] = .read(server) }

    /// The state of one document.
    package subscript(form: ServerMetadataRequest.Form) -> Document {
        get { form == .openIDConnect ? openIDConnect : oauth }
        set { if form == .openIDConnect { openIDConnect = newValue } else { oauth = newValue } }
    }

    /// The form of a document that was read, OpenID's first.
    var read: ServerMetadataRequest.Form? {
        ServerMetadataRequest.Form.allCases.first { if case .read = self[$0] { true } else { false } }
    }

    /// The server as both documents describe it; the OpenID Connect document takes precedence.
    package var server: AuthorizationServer? {
        switch (openIDConnect, oauth) {
        case (.read(let first), .read(let second)): first.completed(by: second)
        case (.read(let only), _), (_, .read(let only)): only
        default: nil
        }
    }
}

extension MetadataDocuments {
    /// The documents as an object for a store.
    func stored() -> JSONObject {
        var object = JSONObject()
        for form in ServerMetadataRequest.Form.allCases {
            switch self[form] {
            case .unread: break
            case .absent: object[form.storedName] = .null
            case .read(let server): object[form.storedName] = .object(server.metadata)
            }
        }
        return object
    }

    /// Reads the output of ``stored()``, and makes the checks of ``ServerMetadataRequest`` again for each document.
    ///
    /// - Returns: `nil` when a document fails a check, and when there is none.
    init?(stored object: JSONObject, of issuer: Issuer) {
        for form in ServerMetadataRequest.Form.allCases {
            guard let value = object[form.storedName] else { continue }
            if value.isNull {
                self[form] = .absent
            } else {
                guard let metadata = value.object,
                    let server = try? AuthorizationServer(metadata: metadata, of: issuer)
                else { return nil }
                self[form] = .read(server)
            }
        }
        guard server != nil else { return nil }
    }
}

extension ServerMetadataRequest.Form {
    /// The form of the issuer's other document.
    var other: ServerMetadataRequest.Form { self == .openIDConnect ? .oauth : .openIDConnect }

    fileprivate var storedName: String {
        self == .openIDConnect ? "openid-configuration" : "oauth-authorization-server"
    }
}
