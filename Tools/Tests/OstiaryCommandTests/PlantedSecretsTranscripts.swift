#if os(Linux)
    import Foundation
    import OstiaryOAuth
    import OstiaryProvider
    import ProviderServer
    import Testing

    /// The output, arguments and environments of a session's whole life: nothing secret.
    @Suite("Planted secrets", .fewAtOnce, .serialized)
    struct PlantedSecretsTranscripts {
        private static let passphrase = "planted passphrase of an archive"
        /// The processes of this test as another program sees them, by their folder: arguments and environments.
        ///
        /// Its own environment, and that of what it starts itself, is what was asked for.
        private static let look = #"""
            for f in $(grep -lza "XDG_STATE_HOME=$XDG_STATE_HOME" /proc/[0-9]*/environ 2>/dev/null); do
                p=${f%/environ}
                [ "$p" = "/proc/$$" ] && { tr '\0' ' ' < $p/cmdline; continue; }
                [ "$(cut -d ' ' -f 4 $p/stat 2>/dev/null)" = "$$" ] && continue
                echo "process $(tr '\0' ' ' < $p/cmdline)"; tr '\0' '\n' < $p/environ
            done 2>/dev/null
            true
            """#

        /// Writes all that a program has in its memory, arguments and environment among it, as a dump of its core would.
        private static let dumpCore = """
            import sys
            with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb") as memory, open(sys.argv[1], "wb") as core:
                for line in maps.readlines():
                    span, rights = line.split()[:2]
                    if "r" not in rights or "[v" in line: continue
                    start, end = (int(edge, 16) for edge in span.split("-"))
                    memory.seek(start)
                    core.write(memory.read(end - start))
            """

        @Test(
            "A core dump of a command that got the token as a file or a descriptor contains no token",
            .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"))
        )
        func core() async throws {
            try await TestProvider.running { provider async throws in
                var tool = provider.tool
                #expect(try await tool.run(try provider.login()).status == 0)
                tool.environment["OSTIARY_TEST_SECRET"] = nil
                let path = provider.folder.path("core")
                let command = ["--", "/usr/bin/python3", "-c", Self.dumpCore, path]
                for (delivery, count) in [(["--fd", "3"], 0), (["--file-env", "T"], 0), (["--env", "T"], 1)] {
                    let transcript = try await tool.run(["exec"] + delivery + command)
                    #expect(transcript.status == 0, "\(transcript.error)")
                    let core = try Data(contentsOf: URL(filePath: path))
                    #expect(core.count > 1_000_000)
                    // In the environment it is what was asked for; that it is found there shows that the search works.
                    #expect(provider.secrets.found(in: core).count == count)
                }
            }
        }

        @Test("Every command's output, errors and explanations contain no planted secret, in text and in JSON")
        func output() async throws {
            try await TestProvider.running { provider async throws in
                provider.secrets.add(Self.passphrase)
                let tool = provider.tool
                let secret = ["--client-secret-env", "OSTIARY_TEST_SECRET"]
                let archive = provider.folder.path("archive")
                let passphrase = ["--passphrase-file", try provider.folder.secretFile("passphrase", Self.passphrase)]
                let commands: [[String]] = [
                    try provider.login(client: "basic") + secret, ["userinfo"], ["refresh"],
                    ["request", "GET", provider.issuer + "/userinfo", "--allow-origin", provider.issuer],
                    ["request", "GET", provider.issuer + "/nothing", "--allow-origin", provider.issuer],
                    ["introspect"], ["sessions", "list"],
                    ["sessions", "export", "--output-file", archive] + passphrase,
                    ["exec", "--", "true"], ["exec", "--file-env", "T", "--", "true"], ["exec", "--", "false"],
                    ["exec", "--fd", "3", "--", "true"], ["exec", "--", "no-such-command"],
                    ["sessions", "list", "--store", "keyring"], ["token", "--store", "file:/dev/null/below"],
                    ["token", "--resource", "https://other.example.com"],
                    ["revoke"], ["logout"], ["token"], ["userinfo"],
                    ["sessions", "import", "--input-file", archive] + passphrase, ["refresh"], ["sessions", "remove"],
                    try provider.login(password: "a wrong password", client: "basic") + secret,
                ]
                for command in commands {
                    // The transcript is searched by the tool itself.
                    for more in [["--explain", "--json"], ["--explain"], ["--json"], []] {
                        _ = try await tool.run(Self.fitting(command, more), limit: .seconds(60))
                    }
                }
            }
        }

        /// Options go before the command that is run, and only to commands that have them.
        private static func fitting(_ command: [String], _ options: [String]) -> [String] {
            let known =
                command.first == "exec"
                ? options.filter { $0 != "--json" }
                : command.first == "sessions" ? options.filter { $0 != "--explain" } : options
            return [command[0]]
                + (command.first == "sessions"
                    ? [command[1]] + command.dropFirst(2) + known : known + command.dropFirst())
        }

        @Test("No process has a secret in its arguments or environment, except the requested variable")
        func processes() async throws {
            try await TestProvider.running { provider async throws in
                // A client with a secret, from a file: it has no business in any environment.
                var tool = provider.tool
                tool.environment["OSTIARY_TEST_SECRET"] = nil
                let file = try provider.folder.secretFile("client", TestProvider.clientSecret)
                #expect(
                    try await tool.run(try provider.login(client: "basic") + ["--client-secret-file", file]).status == 0
                )
                tool.environment["LOOK"] = Self.look
                for delivery in [["--file-env", "T"], ["--fd", "3"], ["--env", "T"], []] {
                    let transcript = try await tool.run(["exec"] + delivery + ["--", "sh", "-c", #"eval "$LOOK""#])
                    #expect(transcript.status == 0 && transcript.output.contains("ostiary exec"))
                    #expect(transcript.output.contains("LOOK="))
                }
                // The one that was asked for is in the command's own environment, and nothing else is.
                let own = try await tool.run(["exec", "--env", "T", "--", "env"], printing: .onPurpose)
                #expect(
                    own.output.split(separator: "\n").filter { !provider.secrets.found(in: String($0)).isEmpty }.count
                        == 1
                )
                // A command that reads a token on its standard input reveals it to no other process.
                let piped = try await tool.runInShell(
                    #"ostiary token --format curl | sh -c 'eval "$LOOK"; cat >/dev/null'"#
                )
                #expect(provider.secrets.found(in: piped.output).isEmpty && piped.output.contains("process "))
            }
        }
    }
#endif
