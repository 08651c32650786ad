/// The page that says what comes of each module, from running it.
enum ConformanceTable {
    static func page(_ modules: [Module]) async throws -> String {
        var lines = [
            "# Conformance",
            "",
            "The tasks of a relying party, module by module, and the responses that it has to reject. Modules have the names of the",
            "OpenID Foundation's conformance suite; where the suite has none, the name of the development provider's scenario.",
            "`make documents` writes this page. Each module is a sign-in, user info, a refresh, user info again, and for logout a",
            "sign-out, by the whole client against the development provider in one process. A rejection counts only with its exact",
            "error, without a further request, a stored session or a waiting caller. This is not a certification;",
            "`SuiteReplayTests` replays 92 recorded modules of the suite itself.",
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
        return (lines + providerPart).joined(separator: "\n") + "\n"
    }

    /// The part for the development provider.
    private static var providerPart: [String] {
        var lines = [
            "",
            "## The development provider",
            "",
            "The tasks of a provider in the plans of the same suite, in our words, with the tests that show them, as",
            "`Suite.function`. The plans for OpenID Connect use the rules `oidc`, those for FAPI 2.0 the rules `fapi2`. `…` stands",
            "for `fapi2-security-profile-final`. A test checks that every named test exists. The suite's provider plans were not",
            "run.",
        ]
        var plan = ""
        for module in ProviderModule.all {
            if module.plan != plan {
                plan = module.plan
                lines += ["", "### \(plan)", "", "| Module | What the provider does | Tests |", "|---|---|---|"]
            }
            let tests = module.tests.map { "`\($0)`" }.joined(separator: ", ")
            lines.append("| `\(module.name)` | \(module.statement) | \(tests) |")
        }
        return lines
    }
}
