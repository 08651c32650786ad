/// The page that says what comes of each module, from running it.
enum ConformanceTable {
    static func page(_ modules: [Module]) async throws -> String {
        var lines = [
            "# Conformance",
            "",
            "What a relying party has to do and to refuse, module by module. The names are those of the OpenID Foundation's",
            "conformance suite; modules that it does not have are named after the scenario of the development provider that",
            "plays the fault. The test run makes this page (`make documents`): each module is a sign-in, user info, a refresh,",
            "user info again, and for logout a sign-out, through the whole client against the development provider in one",
            "process. A refusal counts only with its exact error, no further request, nothing kept and nobody waiting. This is",
            "no certification: the suite itself was not run.",
            "",
            "The test of each row: `ConformanceTests`, \"Every conformance module ends with its expected result\", with the module's name as argument.",
        ]
        for plan in Module.Plan.allCases {
            lines += ["", "## \(plan.rawValue)", "", "| Module | What the provider does | Outcome |", "|---|---|---|"]
            for module in modules where module.plan == plan {
                let outcome = try await Journey(module).run()
                lines.append("| `\(module.name)` | \(module.provider) | \(outcome.reached.sentence) |")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
