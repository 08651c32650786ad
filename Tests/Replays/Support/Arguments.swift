/// The arguments of one recorded command; a value may have spaces where the recording has one text for all of them.
struct Arguments {
    let verb: String
    private var words: [String] = []
    private var options: [String: [String]] = [:]

    init(_ arguments: [String]) {
        verb = arguments.first ?? ""
        var open: String?
        for argument in arguments.dropFirst() {
            if argument.hasPrefix("--") {
                open = argument
                options[argument, default: []].append("")
            } else if let option = open {
                let last = options[option]?.popLast() ?? ""
                options[option, default: []].append(last.isEmpty ? argument : last + " " + argument)
            } else {
                words.append(argument)
            }
        }
    }

    /// The words before the first option.
    var positional: [String] { words }

    func all(_ name: String) -> [String] { options["--" + name] ?? [] }

    subscript(_ name: String) -> String? { all(name).first }

    func has(_ name: String) -> Bool { options["--" + name] != nil }
}
