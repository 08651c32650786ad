import ArgumentParser
import Foundation
import OstiaryJOSE
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
    /// The credential that kubectl expects of a command (ExecCredential of client.authentication.k8s.io/v1).
    case kubectl

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
        case .kubectl:
            guard type != "DPoP" else { throw Self.isBound }
            var status: JSONObject = ["token": .string(token.reveal())]
            status["expirationTimestamp"] = expiry.map { .string($0.internetTime) }
            let credential: JSONObject = [
                "apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": .object(status),
            ]
            return credential.printable + "\n"
        case .env where type == "N_A":
            return "export OSTIARY_ID_TOKEN=" + Self.quoted(token.reveal()) + "\n"
        case .env:
            var lines = [
                "OSTIARY_ACCESS_TOKEN=" + Self.quoted(token.reveal()), "OSTIARY_TOKEN_TYPE=" + Self.quoted(type),
            ]
            if let expiry { lines.append("OSTIARY_TOKEN_EXPIRES_AT=" + Self.quoted(expiry.internetTime)) }
            return lines.map { "export \($0)\n" }.joined()
        }
    }

    private func field(_ token: Secret, _ type: String) throws(UsageError) -> String {
        guard type == "Bearer" else { throw Self.isBound }
        return "Authorization: Bearer " + token.reveal().printable
    }

    private static var isBound: UsageError {
        UsageError("The token is bound to a key, and each request needs a proof: use ostiary request.")
    }

    /// Quotes a text for a shell.
    static func quoted(_ text: String) -> String {
        "'" + text.printable.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }
}
