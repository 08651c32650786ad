import ArgumentParser

/// The form of a command's output.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object, for a success and for a failure.")
    var json = false

    @OptionGroup(title: "Network") var network: NetworkOptions
}
