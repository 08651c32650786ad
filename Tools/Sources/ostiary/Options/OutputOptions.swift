import ArgumentParser

/// In which form a command answers.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object, whatever happens.")
    var json = false
}
