import ArgumentParser

/// The form of a command's output.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object, whatever happens.")
    var json = false
}
