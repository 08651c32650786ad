import ArgumentParser
import Foundation
import OstiaryOAuth

/// The printed form of a token.
enum TokenFormat: String, CaseIterable, ExpressibleByArgument {
    /// The token alone.
    case raw
    /// The object that `--json` prints.
    case json
    /// An `Authorization` field, for programs that read header fields from a file.
    case header
    /// Assignments for a shell: `eval "$(ostiary token --format env)"`.
    case env
    /// Configuration for curl, which reads it from standard input, so that the token is in no argument.
    case curl

    /// Returns the text, ended by a line feed.
    ///
    /// - Throws: ``UsageError`` for a token that is bound to a key: a field alone cannot present it.
    func text(of token: Secret, type: String, expiry: Date?) throws(UsageError) -> String {
        switch self {
        case .raw, .json: return token.reveal().printable + "\n"
        case .header:
            return try field(token, type) + "\n"
        case .curl:
            let quoted = try field(token, type).map { "\\\"".contains($0) ? "\\\($0)" : "\($0)" }.joined()
            return "header = \"\(quoted)\"\n"
        case .env:
            var lines = [
                "OSTIARY_ACCESS_TOKEN=" + Self.quoted(token.reveal()), "OSTIARY_TOKEN_TYPE=" + Self.quoted(type),
            ]
            if let expiry { lines.append("OSTIARY_TOKEN_EXPIRES_AT=" + Self.quoted(expiry.internetTime)) }
            return lines.map { "export \($0)\n" }.joined()
        }
    }

    private func field(_ token: Secret, _ type: String) throws(UsageError) -> String {
        guard type == "Bearer" else {
            throw UsageError("The token is bound to a key, and each request needs a proof: use ostiary request.")
        }
        return "Authorization: Bearer " + token.reveal().printable
    }

    /// Quotes a text for a shell.
    static func quoted(_ text: String) -> String {
        "'" + text.printable.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }
}
