import OstiaryOAuth

extension RedirectURI {
    /// Whether this registered URI covers the URI in a request (RFC 9700 section 4.1.3).
    ///
    /// Every byte must be equal. Only the port of `http://127.0.0.1` and `http://[::1]` is free, since an app cannot
    /// know beforehand which port it will get (RFC 8252 section 7.3). `localhost` may be another machine's name.
    func covers(_ requested: String) -> Bool {
        if description.utf8.elementsEqual(requested.utf8) { return true }
        guard let registered = Self.afterLoopbackPort(description), let asked = Self.afterLoopbackPort(requested) else {
            return false
        }
        return registered.host == asked.host && registered.rest.utf8.elementsEqual(asked.rest.utf8)
    }

    /// The host and the part after the port of a loopback URI, byte by byte as written.
    private static func afterLoopbackPort(_ text: String) -> (host: String, rest: Substring)? {
        for host in ["http://127.0.0.1", "http://[::1]"] where text.utf8.starts(with: host.utf8) {
            var rest = text[text.utf8.index(text.startIndex, offsetBy: host.utf8.count)...]
            if rest.utf8.first == UInt8(ascii: ":") {
                let digits = rest.dropFirst().prefix { ("0"..."9").contains($0) }
                guard let port = Int(digits), (0...65_535).contains(port) else { return nil }
                rest = rest.dropFirst(1 + digits.count)
            }
            return (host, rest)
        }
        return nil
    }
}
