import Foundation

/// The options that every command accepts, before or after its own: the network and the wire trace.
struct GlobalArguments: Sendable {
    /// A file with certificates to trust besides the system's.
    var certificateFile: String?
    /// The proxy for every request that does not stay on this machine.
    var proxy: String?
    /// The destination of the wire trace: a file, or - for standard error.
    var trace: String?

    /// Takes these options out of the arguments; what follows `--` belongs to another program.
    ///
    /// - Returns: The options, and the other arguments.
    /// - Throws: ``UsageError`` for an option without its value, or given twice.
    static func taking(_ arguments: [String]) throws(UsageError) -> (own: GlobalArguments, rest: [String]) {
        let places: [(name: String, place: WritableKeyPath<GlobalArguments, String?>, example: String)] = [
            ("--ca-file", \.certificateFile, "ca.pem"), ("--proxy", \.proxy, "http://proxy.example.com:3128"),
            ("--trace", \.trace, "trace.har"),
        ]
        var own = GlobalArguments()
        var rest: [String] = []
        var index = 0
        while index < arguments.count, arguments[index] != "--" {
            let word = arguments[index]
            index += 1
            guard let option = places.first(where: { word == $0.name || word.hasPrefix($0.name + "=") }) else {
                rest.append(word)
                continue
            }
            var value = String(word.dropFirst(option.name.count + 1))
            if word == option.name, index < arguments.count, arguments[index] == "-" || !arguments[index].hasPrefix("-")
            {
                value = arguments[index]
                index += 1
            }
            guard !value.isEmpty else {
                throw UsageError("\(option.name) needs a value: \(option.name) \(option.example)")
            }
            guard own[keyPath: option.place] == nil else { throw UsageError("Give \(option.name) once.") }
            own[keyPath: option.place] = value
        }
        return (own, rest + arguments[index...])
    }
}
