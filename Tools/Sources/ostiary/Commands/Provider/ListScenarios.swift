import ArgumentParser
import OstiaryJOSE
import OstiaryProvider

/// `ostiary idp scenarios`: the faults that the development provider can play.
struct ListScenarios: AnsweringCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenarios",
        abstract: "List the faults that the provider can play.",
        discussion: """
            A client has to reject each of them, or to tolerate it: docs/conformance.md has
            the required outcomes. Names are those of the OpenID Foundation's test modules
            where there is one.

            EXAMPLES
              ostiary idp scenarios
              ostiary idp serve --scenario oidcc-client-test-nonce-invalid
              ostiary idp serve --scenarios-by-request
            """
    )

    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let names = Scenario.all.map(\.name)
        return Answer(
            members: ["scenarios": .array(names.map { .string($0) })],
            text: names.joined(separator: "\n") + "\n"
        )
    }
}
