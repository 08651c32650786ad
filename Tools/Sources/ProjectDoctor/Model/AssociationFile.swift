import OstiaryJOSE

/// The file in which a website names the apps that may act for it, as it was read or fetched.
package struct AssociationFile: Sendable {
    /// The source of the file.
    package enum Origin: Sendable, Hashable {
        case file(String)
        /// The status is `nil` when no request was made for it, because the URL is not https.
        case fetched(url: String, status: Int?, mediaType: String?)
    }

    package let origin: Origin
    /// Its bytes; `nil` when there were more than Apple takes.
    package let bytes: [UInt8]?

    package init(_ origin: Origin, bytes: [UInt8]?) {
        self.origin = origin
        self.bytes = bytes
    }

    /// The largest that Apple's systems take, uncompressed: 128 KB since iOS 9.3.1 (App Search Programming Guide,
    /// "Support Universal Links", revision of 2016-04-01; it does not say of how many bytes a KB is, so the larger one
    /// is taken).
    package static let maximumBytes = 131_072

    /// The URL at which a host must serve the file.
    package static func url(for host: String) -> String { "https://\(host)/.well-known/apple-app-site-association" }

    var name: String {
        switch origin {
        case .file(let path): path
        case .fetched(let url, _, _): url
        }
    }

    /// Returns the content of the file.
    ///
    /// - Throws: The error of parsing it as one JSON object.
    func content() throws(JSONError) -> AssociationContent {
        let limits = JSONLimits(maximumBytes: Self.maximumBytes, maximumDepth: 12, maximumMembers: 20_000)
        return AssociationContent(try JSONObject(parsing: bytes ?? [], limits: limits))
    }
}

/// The content of an association file, in its new and its old form.
struct AssociationContent: Sendable {
    /// One entry of `applinks.details`.
    struct Detail: Sendable {
        let path: String
        let appIDs: [String]
        let patterns: [LinkPattern]
        /// Whether it lists `paths`, as before iOS 13.
        let isOld: Bool
    }

    let object: JSONObject
    let details: [Detail]

    init(_ object: JSONObject) {
        self.object = object
        let links = object["applinks"]?.object
        let shared = links?["defaults"]?.object
        switch links?["details"] {
        case .array(let entries)?:
            details = entries.enumerated().compactMap { index, entry in
                entry.object.map { Detail($0, at: "applinks.details[\(index)]", shared) }
            }
        case .object(let entries)?:
            // The oldest form: an object with the app identifiers as its names.
            details = entries.members.compactMap { name, entry in
                entry.object.map { Detail($0, at: "applinks.details.\(name)", shared, appID: name) }
            }
        default: details = []
        }
    }

    /// The apps that may end a browser session with a URL of the host.
    var credentialApps: [String]? {
        object["webcredentials"]?.object?["apps"]?.array.map { $0.compactMap(\.string) }
    }

    /// Every app identifier in it, with its place.
    var appIDs: [(text: String, key: String)] {
        (credentialApps ?? []).enumerated().map { ($1, "webcredentials.apps[\($0)]") }
            + details.flatMap { detail in detail.appIDs.map { ($0, detail.path + ".appIDs") } }
    }
}

extension AssociationContent.Detail {
    fileprivate init(_ entry: JSONObject, at path: String, _ shared: JSONObject?, appID: String? = nil) {
        self.path = path
        let list = entry["appIDs"]?.array?.compactMap(\.string) ?? []
        appIDs = list + [entry["appID"]?.string, appID].compactMap(\.self)
        let defaults = entry["defaults"]?.object ?? shared
        if let components = entry["components"]?.array {
            isOld = false
            patterns = components.compactMap { $0.object.map { LinkPattern(component: $0, defaults: defaults) } }
        } else {
            isOld = entry["paths"] != nil
            patterns = (entry["paths"]?.array ?? []).compactMap { $0.string.map(LinkPattern.init(path:)) }
        }
    }

    /// Whether a URL opens the app: the first pattern that matches decides.
    func opens(_ redirect: RedirectInUse) -> Bool {
        patterns.first { $0.matches(redirect) }.map { !$0.excludes } ?? false
    }
}
