import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Testing

@Suite("Kept sessions", .fewAtOnce, .serialized)
struct KeptSessionsTranscripts {
    private static let passphrase = "a passphrase of some length"

    @Test("Profiles are listed, moved to another store and removed, and no token is shown")
    func moved() async throws {
        try await TestProvider.running { provider async throws in
            provider.secrets.add(Self.passphrase)
            let tool = provider.tool
            let none = try await tool.run(["sessions", "list", "--json"])
            #expect(none.output == #"{"ok":true,"sessions":[]}"# + "\n")
            #expect(try await tool.run(try provider.login() + ["--profile", "work"]).status == 0)
            #expect(try await tool.run(try provider.login()).status == 0)
            let list = try await tool.run(["sessions", "list", "--json"]).json()["sessions"]?.array ?? []
            #expect(list.compactMap { $0.object?["profile"]?.string } == ["default", "work"])
            #expect(list.allSatisfy { $0.object?["subject"] == "user-alice" && $0.object?["signedIn"] == true })

            let file = provider.folder.path("sessions.json")
            let secret = ["--passphrase-file", try provider.folder.secretFile("passphrase", Self.passphrase)]
            let export = try await tool.run(
                ["sessions", "export", "--profile", "work", "--output-file", file] + secret
            )
            #expect(export.status == 0)
            let content = try String(contentsOfFile: file, encoding: .utf8)
            #expect(provider.secrets.found(in: content).isEmpty && !content.contains(provider.issuer))
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try await tool.run(["sessions", "remove", "--profile", "work"]).status == 0)
            #expect(try await tool.run(["token", "--profile", "work"]).status == 6)
            #expect(try await tool.run(["sessions", "remove", "--profile", "work"]).status == 6)
            #expect(try await tool.run(["token"], printing: .onPurpose).status == 0)

            let store = ["--store", "file:\(provider.folder.path("other"))"]
            let wrong = ["--passphrase-file", try provider.folder.secretFile("wrong", "another")]
            let refused = try await tool.run(["sessions", "import", "--input-file", file] + wrong + store)
            #expect(refused.status == 2 && refused.error.contains("The passphrase is another one"))
            let imported = try await tool.run(["sessions", "import", "--input-file", file, "--json"] + secret + store)
            #expect(try imported.json()["imported"] == ["work"])
            #expect(try await tool.run(["refresh", "--profile", "work"] + store).status == 0)
            #expect(try await tool.run(["sessions", "export", "--output-file", file]).status == 2)
        }
    }

    @Test("A profile is removed under its session's lock, so that no refresh restores it")
    func removedInTurn() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            #expect(try await tool.run(try provider.login()).status == 0)
            let key = StoreKey.session(
                issuer: try Issuer(provider.issuer),
                clientID: DevelopmentProvider.appClientID,
                account: "default"
            )
            let folder = URL(filePath: provider.folder.path("state/ostiary"))
            // What a refresh has between its look at the store and its write.
            let hold = try await FileLock(directory: folder).acquire(key.writeLockName, waiting: .zero)
            async let removal = tool.run(["sessions", "remove"])
            try await Task.sleep(for: .seconds(2))
            #expect(try await tool.run(["token"], printing: .onPurpose).status == 0)
            hold.release()
            #expect(try await removal.status == 0)
            #expect(try await tool.run(["token"]).status == 6)
        }
    }

    #if os(Linux)
        @Test(
            "Sessions are stored in the desktop's keyring",
            .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/gnome-keyring-daemon"))
        )
        func keyring() async throws {
            try await TestProvider.running { provider async throws in
                var tool = provider.tool
                for name in ["home", "data", "run"] {
                    try FileManager.default.createDirectory(
                        atPath: provider.folder.path(name),
                        withIntermediateDirectories: true
                    )
                }
                tool.environment["HOME"] = provider.folder.path("home")
                tool.environment["XDG_DATA_HOME"] = provider.folder.path("data")
                tool.environment["XDG_RUNTIME_DIR"] = provider.folder.path("run")
                let login = try provider.login("--store", "keyring").map { "'\($0)'" }.joined(separator: " ")
                let script = """
                    printf pw | gnome-keyring-daemon --unlock --components=secrets --foreground >/dev/null 2>&1 &
                    daemon=$!
                    \(Self.untilThere)
                    ostiary \(login) >/dev/null && ostiary refresh --store keyring >/dev/null &&
                    ostiary sessions list --store keyring --json && ostiary logout --store keyring >/dev/null &&
                    ostiary sessions list --store keyring --json
                    kill $daemon
                    """
                tool.environment["SCRIPT"] = script
                let transcript = try await tool.runInShell(#"exec dbus-run-session -- sh -c "$SCRIPT" 2>/dev/null"#)
                let lines = transcript.output.split(separator: "\n")
                #expect(lines.count == 2, "\(transcript.output)\(transcript.error)")
                #expect(lines.first?.contains("\"subject\":\"user-alice\"") == true)
                // The profile stays, with its client alone: the next login needs no option.
                #expect(lines.last?.contains("\"signedIn\":false") == true)
                #expect(lines.last?.contains("user-alice") == false)
                #expect(provider.secrets.found(in: transcript.output + transcript.error).isEmpty)
            }
        }

        @Test(
            "Without a keyring every command names what is missing, in text and in JSON",
            arguments: [
                ["token"], ["sessions", "list"], ["sessions", "import"], ["sessions", "export"],
                ["sessions", "remove"],
                ["logto", "token"], ["exec"],
            ]
        )
        func noKeyring(command: [String]) async throws {
            try await TestProvider.running { provider async throws in
                var tool = provider.tool
                let file = provider.folder.path("archive")
                let secret = ["--passphrase-file", try provider.folder.secretFile("passphrase", Self.passphrase)]
                var arguments = command
                switch command.last {
                case "import":
                    #expect(try await tool.run(try provider.login()).status == 0)
                    let export = ["sessions", "export", "--output-file", file]
                    #expect(try await tool.run(export + secret).status == 0)
                    arguments += secret + ["--input-file", file]
                case "export": arguments += secret + ["--output-file", file]
                default: break
                }
                tool.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nonexistent/bus"
                arguments += ["--store", "keyring"]
                if command == ["exec"] {
                    let transcript = try await tool.run(arguments + ["--", "true"])
                    #expect(transcript.status == 125 && Self.saysWhatIsMissing(transcript.error))
                    return
                }
                let words = try await tool.run(arguments)
                #expect(words.status == 10 && words.output.isEmpty && Self.saysWhatIsMissing(words.error))
                let json = try await tool.run(arguments + ["--json"])
                #expect(try json.failure() == FailureWords(10, "storage", "storage"))
                let message = try json.json()["error"]?.object?["message"]?.string
                #expect(Self.saysWhatIsMissing(message ?? "") && json.error.isEmpty)
            }
        }

        private static func saysWhatIsMissing(_ text: String) -> Bool {
            text.contains("session bus") || text.contains("is missing: install")
        }

        @Test(
            "A locked keyring is reported as locked, and its sessions are kept",
            .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/gnome-keyring-daemon"))
        )
        func lockedKeyring() async throws {
            try await TestProvider.running { provider async throws in
                let login = try provider.login("--store", "keyring")
                let first = try await Self.inKeyring(of: provider, password: "pw", login)
                #expect(first.status == 0, "\(first.error)")
                for command in [["sessions", "list"], ["token"]] {
                    let locked = try await Self.inKeyring(
                        of: provider,
                        password: "another",
                        command + ["--store", "keyring", "--json"]
                    )
                    #expect(try locked.failure() == FailureWords(10, "storage", "storage"))
                    #expect(try locked.json()["error"]?.object?["message"]?.string?.contains("is locked") == true)
                }
                let again = try await Self.inKeyring(of: provider, password: "pw", ["refresh", "--store", "keyring"])
                #expect(again.status == 0, "\(again.error)")
            }
        }

        /// Waits for the keyring, and asks the bus alone for it: a call of the keyring has the bus start another daemon,
        /// which knows no password and may come first.
        private static let untilThere = """
            n=0; until [ $n = 50 ] || dbus-send --session --print-reply=literal --dest=org.freedesktop.DBus / \
                org.freedesktop.DBus.NameHasOwner string:org.freedesktop.secrets | grep -q true
            do n=$((n+1)); sleep 0.1; done
            """

        /// Runs a command on a bus of its own, with a keyring that a password was tried on.
        private static func inKeyring(
            of provider: TestProvider,
            password: String,
            _ arguments: [String]
        ) async throws -> CommandLineTool.Transcript {
            var tool = provider.tool
            for name in ["home", "data", "run"] {
                let path = provider.folder.path(name)
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            tool.environment["HOME"] = provider.folder.path("home")
            tool.environment["XDG_DATA_HOME"] = provider.folder.path("data")
            tool.environment["XDG_RUNTIME_DIR"] = provider.folder.path("run")
            tool.environment["KEYRING_PASSWORD"] = password
            tool.environment["SCRIPT"] = """
                printf %s "$KEYRING_PASSWORD" | \
                    gnome-keyring-daemon --unlock --components=secrets --foreground >/dev/null 2>&1 &
                daemon=$!
                \(untilThere)
                ostiary \(arguments.map { "'\($0)'" }.joined(separator: " "))
                status=$?
                kill $daemon
                exit $status
                """
            let transcript = try await tool.runInShell(#"exec dbus-run-session -- sh -c "$SCRIPT""#)
            #expect(provider.secrets.found(in: transcript.output + transcript.error).isEmpty)
            return transcript
        }
    #endif
}
