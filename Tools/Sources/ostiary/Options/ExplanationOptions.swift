import ArgumentParser

/// Whether a command explains its requests and checks.
struct ExplanationOptions: ParsableArguments {
    @Flag(
        help: "Print each request and each check on standard error; with --json as the members requests and checks."
    )
    var explain = false
}
