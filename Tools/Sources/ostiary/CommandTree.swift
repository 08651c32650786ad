import ArgumentParser

/// The commands by name, to tell a misspelled command from a misplaced argument.
struct CommandTree {
    private let name: String
    private let children: [CommandTree]

    private init(_ command: any ParsableCommand.Type) {
        name = command._commandName
        let configuration = command.configuration
        var subcommands = configuration.subcommands
        for group in configuration.groupedSubcommands { subcommands += group.subcommands }
        var children: [CommandTree] = []
        for subcommand in subcommands { children.append(CommandTree(subcommand)) }
        self.children = children
    }

    /// Makes sure that the first words name a command.
    ///
    /// - Throws: ``UsageError`` with the nearest name.
    static func check(_ arguments: [String]) throws(UsageError) {
        var words = arguments[...]
        let isHelp = words.first == "help"
        if isHelp { words = words.dropFirst() }
        var command = CommandTree(OstiaryCommand.self)
        var path = "ostiary"
        while let word = words.first, !word.hasPrefix("-") {
            // An argument of the command itself.
            guard !command.children.isEmpty || isHelp else { return }
            if word == "help" { return }
            guard let child = command.children.first(where: { $0.name == word }) else {
                let place = path == "ostiary" ? "" : " of \(path)"
                throw UsageError("There is no command \(word.shortened)\(place)." + command.advice(word, path))
            }
            command = child
            path += " " + word
            words = words.dropFirst()
        }
    }

    private func advice(_ word: String, _ path: String) -> String {
        var nearest: (name: String, distance: Int)?
        for child in children {
            let distance = Self.distance(Array(word), Array(child.name))
            if distance < nearest?.distance ?? Int.max { nearest = (child.name, distance) }
        }
        if let nearest, nearest.distance <= max(1, nearest.name.count / 3) {
            return " Did you mean: \(path) \(nearest.name)?"
        }
        return " List the commands: \(path) --help"
    }

    /// The number of insertions, deletions and replacements between two words; long ones are not compared.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        guard left.count <= 40, !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        var row = Array(0...right.count)
        for (index, character) in left.enumerated() {
            var previous = row[0]
            row[0] = index + 1
            for column in 1...right.count {
                let replaced = previous + (character == right[column - 1] ? 0 : 1)
                previous = row[column]
                row[column] = min(replaced, row[column] + 1, row[column - 1] + 1)
            }
        }
        return row[right.count]
    }
}
