#if os(Linux)
    import Foundation
    import ProviderServer
    import Subprocess
    import Testing

    @Suite("A command that waits for a line", .fewAtOnce)
    struct WaitingTranscripts {
        /// Every command that reads a line of standard input; `ISSUER` stands for the provider's issuer.
        static let commands: [[String]] = [
            ["login", "--issuer", "ISSUER", "--client-id", "ostiary-demo", "--user-agent", "manual"],
            ["jwt", "decode"],
            ["jwt", "verify", "--issuer", "ISSUER", "--audience", "ostiary-demo"],
            ["introspect", "--token-file", "-", "--issuer", "ISSUER", "--client-id", "ostiary-demo"],
            ["revoke", "--token-file", "-", "--issuer", "ISSUER", "--client-id", "ostiary-demo"],
            [
                "exchange", "--subject-token-file", "-", "--output-file", "-", "--issuer", "ISSUER", "--client-id",
                "ostiary-demo",
            ],
            ["credential", "git", "get", "--host", "git.example.com"],
            ["credential", "docker", "get", "--host", "registry.example.com"],
        ]

        /// The end of a command that waits.
        enum End: String, CaseIterable, Sendable {
            case interrupt, terminate, timeOut

            fileprivate var signal: Signal? {
                switch self {
                case .interrupt: .interrupt
                case .terminate: .terminate
                case .timeOut: nil
                }
            }

            /// The status with which a command that signs in ends.
            var status: TerminationStatus { self == .timeOut ? .exited(9) : .exited(5) }
            fileprivate var arguments: [String] { self == .timeOut ? ["--timeout", "1"] : [] }
        }

        @Test(
            "A signal ends a command that waits for a line while its input stays open",
            arguments: commands,
            [Signal.interrupt, .terminate]
        )
        func signal(command: [String], signal: Signal) async throws {
            try await TestProvider.running { provider in
                let arguments = command.map { $0 == "ISSUER" ? provider.issuer : $0 }
                let waiting = try await provider.tool.runWithOpenInput(arguments, sending: signal)
                #expect(waiting.hasWaited)
                #expect(waiting.status == .exited(5))
            }
        }

        @Test("A time-out ends a sign-in that waits for a line while its input stays open")
        func timeOut() async throws {
            try await TestProvider.running { provider in
                let arguments = Self.commands[0].map { $0 == "ISSUER" ? provider.issuer : $0 } + ["--timeout", "1"]
                let waiting = try await provider.tool.runWithOpenInput(arguments, sending: nil)
                #expect(waiting.hasWaited)
                #expect(waiting.status == .exited(9))
            }
        }

        @Test(
            "A signal or time-out ends a sign-out that waits for the final address, and the user is signed out",
            arguments: End.allCases
        )
        func logout(end: End) async throws {
            try await TestProvider.running { provider in
                #expect(try await provider.tool.run(try provider.login()).status == 0)
                let logout = [
                    "logout", "--post-logout-redirect-uri", "http://127.0.0.1/", "--user-agent", "manual",
                ]
                let waiting = try await provider.tool.runWithOpenInput(logout + end.arguments, sending: end.signal)
                #expect(waiting.hasWaited)
                #expect(waiting.status == .exited(0))
                #expect(try await provider.tool.run(["token"]).status == 6)
            }
        }

        /// A command of a front door that waits for the last page's address, and the commands before it.
        struct DoorCommand: Sendable, CustomTestStringConvertible {
            let system: VendorSystem
            /// Each but the last runs with the user's name and password.
            let commands: [[String]]

            var testDescription: String { commands.last?.prefix(2).joined(separator: " ") ?? "" }

            func commands(at stage: TestSystem) throws -> (before: [[String]], waiting: [String]) {
                let named = commands.map { command in
                    command.map {
                        ["ISSUER": stage.issuer, "ORIGIN": stage.origin, "CLIENT": stage.clientID][$0] ?? $0
                    }
                }
                let person = try stage.person
                let before = named.dropLast().map { $0[1] == "register" ? $0 : $0 + person }
                return (before, (named.last ?? []) + ["--user-agent", "manual"])
            }
        }

        private static let logtoLogin = ["logto", "login", "--endpoint", "ORIGIN", "--app-id", "CLIENT"]
        private static let curityRegistration = ["curity", "register", "--issuer", "ISSUER"]

        static let signIns: [DoorCommand] = [
            DoorCommand(
                system: .logi,
                commands: [["logi", "login", "--issuer", "ISSUER", "--client-id", "CLIENT"]]
            ),
            DoorCommand(system: .logto, commands: [logtoLogin]),
            DoorCommand(system: .curity, commands: [curityRegistration, ["curity", "login"]]),
            DoorCommand(
                system: .ssafy,
                commands: [
                    [
                        "ssafy", "verify", "--client-id", "CLIENT", "--issuer", "ISSUER", "--backend",
                        "http://127.0.0.1:9/verify",
                    ]
                ]
            ),
            DoorCommand(
                system: .zephr,
                commands: [
                    ["zephr", "login", "--site", "ORIGIN", "--redirect-uri", DevelopmentSystem.siteRedirectURI]
                ]
            ),
        ]

        static let signOuts: [DoorCommand] = [
            DoorCommand(
                system: .logto,
                commands: [logtoLogin, ["logto", "logout", "--redirect-uri", "http://127.0.0.1/callback"]]
            ),
            DoorCommand(
                system: .curity,
                commands: [curityRegistration, ["curity", "login"], ["curity", "logout"]]
            ),
        ]

        @Test(
            "A signal or time-out ends a front door's sign-in that waits for the final address",
            arguments: signIns,
            End.allCases
        )
        func signIn(command: DoorCommand, end: End) async throws {
            try await TestSystem.running(command.system) { stage in
                let (before, waiting) = try command.commands(at: stage)
                for arguments in before { #expect(try await stage.tool.run(arguments).status == 0) }
                let run = try await stage.tool.runWithOpenInput(waiting + end.arguments, sending: end.signal)
                #expect(run.hasWaited)
                #expect(run.status == end.status)
            }
        }

        @Test(
            "A signal or time-out ends a front door's sign-out that waits for the final address, and signs out",
            arguments: signOuts,
            End.allCases
        )
        func signOut(command: DoorCommand, end: End) async throws {
            try await TestSystem.running(command.system) { stage in
                let (before, waiting) = try command.commands(at: stage)
                for arguments in before { #expect(try await stage.tool.run(arguments).status == 0) }
                let run = try await stage.tool.runWithOpenInput(waiting + end.arguments, sending: end.signal)
                #expect(run.hasWaited)
                #expect(run.status == .exited(0))
                #expect(try await stage.tool.run([command.system.rawValue, "token"]).status == 6)
            }
        }
    }

    /// The end of a command that waited for a line.
    private struct Waiting {
        /// Whether its thread that reads lines was seen.
        let hasWaited: Bool
        let status: TerminationStatus
    }

    extension CommandLineTool {
        /// Runs it with a standard input that stays open, and sends the signal once a thread of it waits for a line.
        ///
        /// A command that does not end within 30 seconds is killed.
        fileprivate func runWithOpenInput(_ arguments: [String], sending signal: Signal?) async throws -> Waiting {
            var variables: [Environment.Key: String] = [
                "PATH": "\(try Self.folder.path):/usr/bin:/bin", "HOME": "/dev/null", "TERM": "dumb",
            ]
            for (name, value) in environment { variables[Environment.Key(stringLiteral: name)] = value }
            let result = try await Subprocess.run(
                .name("ostiary"),
                arguments: Arguments(arguments),
                environment: .custom(variables),
                input: .inputWriter,
                output: .sequence,
                error: .sequence
            ) { execution in
                let process = execution.processIdentifier.value
                let killing = Task {
                    try await Task.sleep(for: .seconds(30))
                    try execution.send(signal: .kill)
                }
                defer { killing.cancel() }
                async let output: Void = Self.drain(execution.standardOutput)
                async let error: Void = Self.drain(execution.standardError)
                let hasWaited = await Self.waitsForLine(process)
                if hasWaited, let signal { try execution.send(signal: signal) }
                // Both end with the process, whose input is open until then.
                _ = try await (output, error)
                return hasWaited
            }
            return Waiting(hasWaited: result.closureResult, status: result.terminationStatus)
        }

        /// Whether the process has not ended; one that has stays listed, as a zombie, until it is waited for.
        private static func isRunning(_ process: Int32) -> Bool {
            guard let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
                return false
            }
            return !state.contains(") Z ")
        }

        private static func drain(_ sequence: SubprocessOutputSequence) async throws {
            for try await _ in sequence {}
        }

        /// Looks at the names of the process's threads until one reads lines, or the process is gone.
        private static func waitsForLine(_ process: Int32) async -> Bool {
            let threads = "/proc/\(process)/task"
            while isRunning(process), let names = try? FileManager.default.contentsOfDirectory(atPath: threads) {
                for name in names {
                    let thread = try? String(contentsOfFile: "\(threads)/\(name)/comm", encoding: .utf8)
                    if thread?.hasPrefix("Ostiary line") == true { return true }
                }
                try? await Task.sleep(for: .milliseconds(20))
            }
            return false
        }
    }
#endif
