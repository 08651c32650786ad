import OstiaryJOSE

/// A command's standard output: one object for programs, or text for the user.
struct Answer {
    /// The object, without `ok`.
    var members: JSONObject
    /// The text; lines end with a line feed, values from outside are escaped.
    var text: String
    /// The unchanged content from a server; it replaces the text where the output is not a terminal.
    var content: [UInt8]?
    /// The exit status of the command after its answer.
    var status = ExitStatus.success

    /// The object as one line.
    var json: String {
        var object: JSONObject = ["ok": .bool(status == .success)]
        for member in members.members { object[member.name] = member.value }
        return object.printable
    }
}
