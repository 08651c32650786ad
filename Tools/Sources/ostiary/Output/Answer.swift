import OstiaryJOSE

/// What a command has to say on standard output: one object for programs, or text for a person.
struct Answer {
    /// The object, without `ok`.
    var members: JSONObject
    /// The text; lines end with a line feed, values from outside are escaped.
    var text: String

    /// The object as one line.
    var json: String {
        var object: JSONObject = ["ok": true]
        for member in members.members { object[member.name] = member.value }
        return object.printable
    }
}
