#if os(Linux)
    import Foundation
    import OstiaryOAuth
    import OstiaryProvider
    import ProviderServer
    import Testing

    @Suite("A browser on another machine", .fewAtOnce)
    struct RemoteBrowserTranscripts {
        private func login(_ provider: TestProvider, _ more: String...) -> [String] {
            [
                "login", "--issuer", provider.issuer, "--client-id", DevelopmentProvider.appClientID, "--par", "never",
            ] + more
        }

        @Test("Without a display the command says that no browser can be opened, why, and what to run")
        func noDisplay() async throws {
            try await TestProvider.running { provider async throws in
                for (variables, reason) in [
                    ([:], "there is no display"), (["SSH_CONNECTION": "a 1 b 22"], "this is an SSH session"),
                ] {
                    var tool = provider.tool
                    for (name, value) in variables { tool.environment[name] = value }
                    let transcript = try await tool.run(login(provider)) { line in
                        line.hasPrefix("Waiting up to 5 minutes") ? .interrupt : .none
                    }
                    #expect(transcript.status == 5)
                    #expect(transcript.error.hasPrefix("No browser can be opened here: \(reason). Open this URL"))
                    #expect(transcript.error.contains("\n\(provider.issuer)/authorize?"))
                    let line = try #require(
                        transcript.error.split(separator: "\n").first { $0.hasPrefix("  ostiary login ") }
                    )
                    #expect(line.hasSuffix(" --user-agent manual"))
                    // The printed command, with a user who pastes.
                    let person = Person(provider)
                    let words = line.split(separator: " ").dropFirst().map(String.init)
                    let pasted = try await provider.tool.run(Array(words)) { try await person.carry($0) }
                    #expect(pasted.status == 0)
                }
            }
        }

        @Test("A browser that fails is reported, and the sign-in continues to wait")
        func failingBrowser() async throws {
            try await TestProvider.running { provider async throws in
                var tool = provider.tool
                tool.environment["BROWSER"] = "false"
                let transcript = try await tool.run(login(provider)) { line in
                    line.hasPrefix("The browser has to run on this machine") ? .interrupt : .none
                }
                #expect(transcript.status == 5)
                #expect(transcript.error.contains("No browser was opened: false ended with status 1"))
            }
        }

        @Test("A user over SSH signs in at a terminal by pasting the address that the printed steps ask for")
        func pasting() async throws {
            try await TestProvider.running { provider async throws in
                var tool = provider.tool
                tool.environment["SSH_CONNECTION"] = "a 1 b 22"
                let person = Person(provider)
                let words = (["ostiary"] + login(provider)).joined(separator: " ")
                // script gives the command a terminal; its output has both streams.
                let transcript = try await tool.runInTerminal(words) { line in
                    guard line.hasPrefix(provider.issuer + "/authorize?") else { return .none }
                    return .type(try await person.redirect(from: line.trimmingCharacters(in: .whitespacesAndNewlines)))
                }
                #expect(transcript.status == 0)
                #expect(transcript.output.contains("No browser can be opened here: this is an SSH session."))
                #expect(transcript.output.contains("paste it here, and press Enter"))
                #expect(transcript.output.contains("Signed in at \(provider.issuer)"))
            }
        }
    }
#endif
