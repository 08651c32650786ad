/// One parser of outside data and what must hold for every input.
///
/// Besides the properties that a target demands, the program itself demands that nothing traps, hangs, reads outside of
/// its memory or takes more memory than the limits on libFuzzer's command line allow.
struct FuzzTarget: Sendable {
    /// The name of the target on the command line, and of its folder in `Corpus`.
    let name: String
    /// Reads one input.
    let run: @Sendable ([UInt8]) -> Void

    /// Every target.
    static let all: [FuzzTarget] = [
        .jws, .keySet, .json, .redirect, .metadata, .tokenResponse, .authenticate, .form, .uri, .credentials, .backend,
        .handoff,
    ]
}

/// Ends the program, which libFuzzer records as a find, unless the condition holds.
func demand(_ condition: Bool, _ what: @autoclosure () -> String) {
    guard !condition else { return }
    fatalError("Does not hold: \(what())")
}

/// The word that stands for everything secret: corpora and dictionaries put it where secrets are.
let secretWord = "S3cr3t"

/// Demands that printing an error does not show the secret word, and that its text stays short.
func demandDiscreet(_ error: any Error) {
    demandDiscreet(text: "\(error)")
}

/// Demands that neither printing nor dumping a value shows the secret word.
func demandDiscreet(_ value: some Sendable) {
    var dumped = ""
    dump(value, to: &dumped)
    for text in ["\(value)", String(reflecting: value), dumped] { demandDiscreet(text: text) }
}

private func demandDiscreet(text: String) {
    demand(!text.utf8.contains(secretWord.utf8), "no secret is printed")
    demand(text.utf8.count <= 4096, "what is printed is short")
}
