import ArgumentParser

/// The form of a command's output.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object, for a success and for a failure.")
    var json = false

    @OptionGroup(title: "Network") var network: NetworkOptions
}

/// Whether a command explains its requests and checks.
struct ExplanationOptions: ParsableArguments {
    @Flag(
        help: "Print each request and each check on standard error; with --json as the members requests and checks."
    )
    var explain = false
}
