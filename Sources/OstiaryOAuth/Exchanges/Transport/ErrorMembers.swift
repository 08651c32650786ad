import OstiaryCompatibility
import OstiaryJOSE

/// The error in a JSON object of a response, in any of the forms that servers send.
///
/// RFC 6749 section 5.2 defines a code at the top level. Servers also send an object `{"error": {"message", "type",
/// "code"}}`, a sentence as `error`, `"ok": false`, or `errorCode` with `errorSummary`.
struct ErrorMembers {
    /// The code; `nil` where the server sent words alone.
    private(set) var code: String?
    /// The server's own words.
    private(set) var words: String?
    /// A page about the error.
    private(set) var uri: String?
    /// The new polling interval that came with `slow_down`.
    private(set) var interval: Duration?
    /// Whether the code is in the member that RFC 6749 section 5.2 defines.
    private(set) var isStandard = false

    /// Reads an error; `nil` for an object without one.
    ///
    /// An `error` that is null, empty, `false` or 0 does not count as an error.
    ///
    /// `isOtherwiseEmpty` says that the object holds no requested member, so that the members `errorCode` and
    /// `errorSummary` are an error as well.
    init?(_ object: JSONObject, isOtherwiseEmpty: Bool) {
        words = object.text("error_description") ?? object.text("message") ?? object.text("errorSummary")
        switch object["error"] {
        case .string(let text)? where !text.isEmpty:
            if OAuthError.Code.isWellFormed(text) {
                code = text
                isStandard = true
                words = object.text("error_description") ?? object.text("message")
            } else {
                words = [text, object.text("error_description")].compactMap(\.self).joined(separator: ": ")
            }
        case .object(let error)?: read(error)
        case .array?, .bool(true)?: break
        case .some(let value) where value.number.map({ $0 != 0 }) ?? false:
            code = value.number.flatMap { Int(exactly: $0) }.map(String.init)
        default:
            guard object["ok"]?.bool == false || isOtherwiseEmpty && object.hasErrorCode else { return nil }
            code = object.codeText("errorCode")
        }
        uri = object.text("error_uri")
        if code == OAuthError.Code.slowDown.rawValue {
            interval = object.seconds("interval").flatMap { $0 > 0 ? Duration(boundedSeconds: $0) : nil }
        }
    }

    /// Reads an error object: its name becomes the code, and its number follows the words.
    private mutating func read(_ error: JSONObject) {
        let names = ["code", "type", "status"].compactMap { error.text($0) }.filter(OAuthError.Code.isWellFormed)
        let number = error["code"]?.integer.map(String.init)
        code = names.first ?? number
        let message = error.text("message") ?? error.text("error_description") ?? words
        words =
            names.isEmpty || number == nil
            ? message : [message, number.map { "(\($0))" }].compactMap(\.self).joined(separator: " ")
    }
}

extension JSONObject {
    /// A text that is not empty.
    fileprivate func text(_ name: String) -> String? { self[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }

    /// A code, as text or as a number.
    fileprivate func codeText(_ name: String) -> String? {
        text(name).flatMap { OAuthError.Code.isWellFormed($0) ? $0 : nil } ?? self[name]?.integer.map(String.init)
    }

    fileprivate var hasErrorCode: Bool { codeText("errorCode") != nil || text("errorSummary") != nil }

    /// A number of seconds, 0 or more; some servers send it as a string.
    func seconds(_ name: String) -> Double? {
        guard let value = self[name] else { return nil }
        let number: Double? = if let text = value.string { Double(text) } else { value.number }
        return number.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    }
}
