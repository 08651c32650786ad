import ArgumentParser

/// The options of every command: the network, the wire trace and the recording.
///
/// ``GlobalArguments`` and ``CommandRecording`` take them before the parser sees the arguments, so that they hold for a
/// command line with mistakes as well. They are declared for the help, the completions and the manual pages.
struct NetworkOptions: ParsableArguments {
    @Option(
        name: .customLong("ca-file"),
        help: ArgumentHelp(
            "A PEM file with certificates to trust besides the system's.",
            valueName: "file"
        ),
        completion: .file()
    )
    var certificateFile: String?

    @Option(help: ArgumentHelp("The HTTP proxy for requests to other machines.", valueName: "url"))
    var proxy: String?

    @Option(
        help: ArgumentHelp(
            "Write requests and responses without secrets: as text, .har or .jsonl; - is standard error.",
            valueName: "file"
        ),
        completion: .file()
    )
    var trace: String?

    @Option(
        help: ArgumentHelp("Write a recording with tokens, which tests can replay.", valueName: "file"),
        completion: .file()
    )
    var record: String?

    @Option(help: ArgumentHelp("Write a recording without secrets.", valueName: "file"), completion: .file())
    var recordRedacted: String?
}
