import Dispatch

/// The beginning of the program.
@main
enum Program {
    /// Runs the command line.
    ///
    /// It is not asynchronous: an asynchronous one begins after the system's queues have opened descriptors of their
    /// own, which may have taken the place of a closed standard descriptor by then.
    static func main() {
        StandardDescriptors.reserve()
        Task { await Invocation(CommandLine.arguments, console: .standard).runAndExit() }
        dispatchMain()
    }
}
