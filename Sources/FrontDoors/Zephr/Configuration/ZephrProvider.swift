/// A social provider with which users sign in to a site.
public struct ZephrProvider: Sendable, Hashable {
    /// The name in the site's paths.
    public let name: String
    /// Hosts that the provider's pages lie on, they or hosts below them; the site's own host is always one.
    public let hosts: [String]

    /// Takes a provider that is not among those below.
    ///
    /// - Parameters:
    ///   - name: Small letters, digits, hyphens and underscores.
    ///   - hosts: The hosts of its pages; the sign-in page is presented on these hosts and on the site's own only.
    /// - Throws: `configuration` for a name that would be more than one segment of a path.
    public init(_ name: String, hosts: [String] = []) throws(ZephrError) {
        guard ZephrSite.isPathSegment(name),
            name.utf8.allSatisfy({ !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else {
            throw ZephrError(.configuration("A provider's name is small letters, digits, hyphens and underscores."))
        }
        self.init(known: name, hosts.map { $0.lowercased() })
    }

    private init(known name: String, _ hosts: [String]) {
        self.name = name
        self.hosts = hosts
    }

    /// Google.
    public static let google = Self(known: "google", ["accounts.google.com"])
    /// Facebook.
    public static let facebook = Self(known: "facebook", ["facebook.com"])
    /// LinkedIn.
    public static let linkedIn = Self(known: "linkedin", ["linkedin.com"])
    /// Apple.
    public static let apple = Self(known: "apple", ["appleid.apple.com"])
    /// Microsoft.
    public static let microsoft = Self(known: "microsoft", ["login.microsoftonline.com", "login.live.com"])
    /// Twitter.
    public static let twitter = Self(known: "twitter", ["twitter.com", "x.com"])

    /// The providers above.
    public static let known: [ZephrProvider] = [.google, .facebook, .linkedIn, .apple, .microsoft, .twitter]

    /// Finds a provider among ``known`` by its name, or takes another one, and adds hosts to either.
    ///
    /// - Parameters:
    ///   - name: As the site writes it.
    ///   - hosts: Hosts of its pages besides those that are known.
    /// - Returns: The provider.
    /// - Throws: As ``init(_:hosts:)``.
    public static func named(_ name: String, addingHosts hosts: [String] = []) throws(ZephrError) -> ZephrProvider {
        let known = known.first { $0.name.utf8.elementsEqual(name.utf8) }?.hosts ?? []
        return try ZephrProvider(name, hosts: known + hosts)
    }

    /// Whether a host is the provider's.
    func owns(_ host: String) -> Bool {
        hosts.contains { host.utf8.elementsEqual($0.utf8) || host.hasSuffix("." + $0) }
    }
}
