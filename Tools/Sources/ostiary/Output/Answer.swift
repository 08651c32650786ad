import OstiaryJOSE

/// What a command has to say on standard output: one object for programs, or text for a person.
struct Answer {
    /// The object, without `ok`.
    var members: JSONObject
    /// The text; lines end with a line feed, values from outside are escaped.
    var text: String
    /// What a server sent, as it was sent; it takes the place of the text where no person looks at it.
    var content: [UInt8]?
    /// How the command ends after its answer.
    var status = ExitStatus.success

    /// The object as one line.
    var json: String {
        var object: JSONObject = ["ok": .bool(status == .success)]
        for member in members.members { object[member.name] = member.value }
        return object.printable
    }
}
