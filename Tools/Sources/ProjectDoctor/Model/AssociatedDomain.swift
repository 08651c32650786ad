/// One line of the Associated Domains entitlement: `service:host?mode=…`.
package struct AssociatedDomain: Sendable, Hashable {
    static let entitlement = "com.apple.developer.associated-domains"
    static let services: Set<String> = ["webcredentials", "applinks", "activitycontinuation", "appclips", "authsrv"]

    let text: String
    let place: Finding.Place
    let service: String
    /// In lower case, with `*.` where it stands for every host below.
    let host: String
    let mode: String?

    init(_ text: String, at place: Finding.Place) {
        self.text = text
        self.place = place
        service = String(text.prefix { $0 != ":" })
        let rest = text.dropFirst(service.count + 1)
        host = rest.prefix { $0 != "?" }.lowercased()
        mode = rest.firstRange(of: "?mode=").map { String(rest[$0.upperBound...]) }
    }

    /// Whether it stands for a host; `*.example.com` stands for every one below `example.com`, not for that itself.
    func covers(_ name: String) -> Bool {
        guard host.hasPrefix("*.") else { return host.isSame(as: name) }
        return name.hasSuffix(host.dropFirst()) && name.utf8.count > host.utf8.count - 1
    }

    /// Whether it is written as Apple's page says: a service, a colon, a whole host name, and perhaps a mode.
    var isWellFormed: Bool {
        guard text.contains(":"), Self.services.contains(service) else { return false }
        let name = host.hasPrefix("*.") ? host.dropFirst(2) : host[...]
        let isName = name.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-.".utf8.contains($0) || $0 >= 0x80 }
        guard isName, name.contains("."), !name.hasPrefix("."), !name.hasSuffix(".") else { return false }
        let query = text.drop { $0 != "?" }
        return query.isEmpty || ["?mode=developer", "?mode=managed", "?mode=developer+managed"].contains(String(query))
    }
}
