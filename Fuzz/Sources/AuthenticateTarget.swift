import OstiaryOAuth

extension FuzzTarget {
    /// The value of a `WWW-Authenticate` field.
    static let authenticate = FuzzTarget(name: "www-authenticate") { bytes in
        let value = text(bytes)
        let challenges = AuthenticateChallenge.list(in: value)
        demand(value.utf8.count <= 8192 || challenges.isEmpty, "nothing longer than the limit is read")
        demand(challenges.count <= value.utf8.count, "no challenge comes from nothing")
        for (position, challenge) in challenges.enumerated() {
            demand(position == 0 || !challenge.scheme.isEmpty, "only the first may lack its scheme")
            demand((challenge.error?.code.rawValue.unicodeScalars.count ?? 0) <= 500, "an error code is cut")
            guard !challenge.scheme.isEmpty else { continue }
            let written = write(challenge)
            guard written.utf8.count <= 8192 else { continue }
            demand(AuthenticateChallenge.list(in: written) == [challenge], "what is written is read as the same")
        }
    }

    private static func write(_ challenge: AuthenticateChallenge) -> String {
        let parameters = challenge.parameters.sorted { $0.key < $1.key }.map { name, value in
            let escaped = value.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
            return "\(name)=\"\(escaped)\""
        }
        return challenge.scheme + " " + parameters.joined(separator: ", ")
    }
}
