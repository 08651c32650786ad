#if os(Linux)
    import Foundation
    import Ostiary
    import OstiaryTesting
    import Testing

    /// A real gnome-keyring on a bus of its own, in a home of its own.
    private struct Keyring {
        let folder: Folder

        static let canBeHad = ["dbus-run-session", "gnome-keyring-daemon"].allSatisfy {
            FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
        }

        static func use(_ body: (Keyring) async throws -> Void) async throws {
            try await Folder.use { folder in
                for name in ["home", "data", "run", "cache", "config"] { #expect(mkdir(folder.path(name), 0o700) == 0) }
                try await body(Keyring(folder: folder))
            }
        }

        private var environment: [String: String] {
            [
                "HOME": folder.path("home"), "XDG_DATA_HOME": folder.path("data"),
                "XDG_CACHE_HOME": folder.path("cache"),
                "XDG_CONFIG_HOME": folder.path("config"), "XDG_RUNTIME_DIR": folder.path("run"), "GIO_USE_VFS": "local",
            ]
        }

        /// Runs shell on a bus, with the daemon started by a password, or not at all; it is stopped at the end.
        ///
        /// Until the daemon is there, the bus alone is asked for it: a call of the keyring has the bus start another
        /// daemon, which knows no password and may come first.
        func run(password: String?, _ script: String) async throws -> Probe.Outcome {
            let start =
                password.map {
                    "printf '\($0)' | gnome-keyring-daemon --unlock --components=secrets --foreground >/dev/null 2>&1 &"
                } ?? ""
            return try await Probe.shell(
                """
                exec dbus-run-session -- sh -c '
                daemon=
                \(start.replacingOccurrences(of: "'", with: "'\\''"))
                \(password == nil ? "" : "daemon=$!")
                tries=0
                until [ -z "$daemon" ] || [ $tries = 50 ] ||
                    dbus-send --session --print-reply=literal --dest=org.freedesktop.DBus / \
                        org.freedesktop.DBus.NameHasOwner string:org.freedesktop.secrets | grep -q true
                do
                    tries=$((tries + 1)); sleep 0.1
                done
                \(script.replacingOccurrences(of: "'", with: "'\\''"))
                status=$?
                [ -z "$daemon" ] || kill "$daemon" 2>/dev/null
                exit $status'
                """,
                environment: environment
            )
        }
    }

    @Suite("SecretServiceStore", .enabled(if: Keyring.canBeHad), .timeLimit(.minutes(5)))
    struct SecretServiceTests {
        @Test("The Secret Service store keeps every promise in a real keyring")
        func contract() async throws {
            try await Keyring.use { keyring in
                let outcome = try await keyring.run(password: "pw", #""$PROBE" keyring contract"#)
                #expect(outcome.output == "kept" && outcome.status == 0)
            }
        }

        @Test("A restarted keyring accepts the next write of the same process")
        func restart() async throws {
            try await Keyring.use { keyring in
                let restart =
                    #"kill -9 $daemon; sleep 0.3; "#
                    + #"printf pw | gnome-keyring-daemon --unlock --components=secrets --foreground >/dev/null 2>&1 & "#
                    + #"echo $! > $XDG_RUNTIME_DIR/pid; "#
                    + #"for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 0.1; "#
                    + #"dbus-send --session --print-reply=literal --dest=org.freedesktop.DBus / "#
                    + #"org.freedesktop.DBus.NameHasOwner string:org.freedesktop.secrets | grep -q true && exit; done"#
                let escaped = restart.replacingOccurrences(of: "$", with: "\\$")
                let outcome = try await keyring.run(
                    password: "pw",
                    #"export daemon; "$PROBE" keyring restart "\#(escaped)"; kill $(cat $XDG_RUNTIME_DIR/pid)"#
                )
                #expect(outcome.output.split(separator: "\n").first == "after")
            }
        }

        @Test("The lock folder does not depend on the environment")
        func locks() async throws {
            try await Folder.use { folder in
                let places = [
                    [:], ["XDG_RUNTIME_DIR": folder.path("run")], ["HOME": folder.path("home")],
                    ["XDG_STATE_HOME": folder.path("state")],
                ]
                var found: Set<String> = []
                for environment in places {
                    found.insert(try await Probe.run(["lock-folder"], environment: environment).output)
                }
                #expect(found.count == 1 && found.first?.hasSuffix("/.local/state/ostiary/locks") == true)
                #expect(folder.names() == [])
            }
        }

        @Test("A file store with a real keyring's key keeps every promise")
        func sealedFiles() async throws {
            try await Keyring.use { keyring in
                let folder = keyring.folder.path("sealed")
                let outcome = try await keyring.run(
                    password: "pw",
                    #""$PROBE" keyring sealed-files '\#(folder)'; "$PROBE" keyring keys"#
                )
                #expect(outcome.output == "kept\nostiary/sealing-key")
            }
        }

        @Test("A stored value survives the keyring daemon, and is not readable in its file")
        func lasting() async throws {
            try await Keyring.use { keyring in
                let first = try await keyring.run(password: "pw", #""$PROBE" keyring write a-secret-value"#)
                #expect(first.output == "written")
                let second = try await keyring.run(
                    password: "pw",
                    #""$PROBE" keyring read; "$PROBE" keyring keys; "$PROBE" keyring remove; "$PROBE" keyring read"#
                )
                #expect(second.output == "a-secret-value\nsession/a\nremoved\nabsent")
                let files = FileManager.default.enumerator(atPath: keyring.folder.path("data"))
                for case let name as String in files ?? .init() {
                    let content = FileManager.default.contents(atPath: keyring.folder.path("data/\(name)")) ?? Data()
                    #expect(content.range(of: Data("a-secret-value".utf8)) == nil)
                }
            }
        }

        @Test(
            "A locked keyring fails as locked for reads, writes and lists"
        )
        func locked() async throws {
            try await Keyring.use { keyring in
                #expect(try await keyring.run(password: "pw", #""$PROBE" keyring write kept"#).output == "written")
                // Another password leaves the keyring as locked as it was.
                for password in ["another", ""] {
                    let outcome = try await keyring.run(
                        password: password,
                        """
                        for call in read remove keys "write x"; do "$PROBE" keyring $call --never-ask; done
                        "$PROBE" keyring check
                        """
                    )
                    #expect(outcome.output == "locked\nlocked\nlocked\nlocked\nusable", "\(password)")
                }
                #expect(try await keyring.run(password: "pw", #""$PROBE" keyring read"#).output == "kept")
            }
        }

        @Test("A locked keyring that the user does not unlock fails within 20 seconds, and keeps the value")
        func nobodyUnlocks() async throws {
            try await Keyring.use { keyring in
                #expect(try await keyring.run(password: "pw", #""$PROBE" keyring write kept"#).output == "written")
                let start = ContinuousClock.now
                let outcome = try await keyring.run(
                    password: "another",
                    #"for call in read "write x"; do "$PROBE" keyring $call --soon; done"#
                )
                let words = outcome.output.split(separator: "\n")
                #expect(words.count == 2 && words.allSatisfy { $0 == "locked" || $0 == "unavailable" }, "\(words)")
                #expect(ContinuousClock.now - start < .seconds(20))
                #expect(try await keyring.run(password: "pw", #""$PROBE" keyring read"#).output == "kept")
            }
        }

        @Test("Without a session bus, or without a keyring on it, the store is unavailable and names what is missing")
        func absent() async throws {
            try await Keyring.use { keyring in
                let noBus = try await Probe.shell(
                    #""$PROBE" keyring check; "$PROBE" keyring read; "$PROBE" keyring write x"#,
                    environment: [
                        "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(keyring.folder.path("none"))",
                        "XDG_RUNTIME_DIR": keyring.folder.path("run"),
                    ]
                )
                #expect(noBus.output.hasPrefix("There is no session bus"))
                #expect(noBus.output.hasSuffix("unavailable\nunavailable"))
                #expect(noBus.status == 1)
                // A bus that starts nothing by itself.
                keyring.folder.write(
                    Data(
                        """
                        <busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen>
                        <policy context="default"><allow send_destination="*" eavesdrop="true"/>
                        <allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
                        """.utf8
                    ),
                    to: "bus.conf"
                )
                let alone = try await Probe.shell(
                    #"""
                    exec dbus-run-session --config-file='\#(keyring.folder.path("bus.conf"))' -- \
                        sh -c '"$PROBE" keyring check; "$PROBE" keyring read; "$PROBE" keyring write x'
                    """#,
                    environment: ["XDG_RUNTIME_DIR": keyring.folder.path("run")]
                )
                #expect(alone.output.hasPrefix("No program offers the Secret Service"), "\(alone.output)")
                #expect(alone.output.hasSuffix("unavailable\nunavailable"))
            }
        }

        @Test(
            "Without libsecret, or with another library, the error names it",
            arguments: ["libnone.so.7", "libc.so.6"]
        )
        func noLibrary(name: String) async throws {
            let store = SecretServiceStore(application: "a", deadline: .seconds(5), library: name)
            let missing = name == "libc.so.6" ? "secret_service_search_sync" : name
            let error = await #expect(throws: SecretServiceStore.Problem.self) { try await store.check() }
            #expect(error == .missing(missing))
            #expect(error?.description.hasPrefix("\(missing) is missing: install libsecret-1-0") == true)
            await #expect(throws: StorageFailure.unavailable) { _ = try await store.read(StoreKey("a")) }
            await #expect(throws: StorageFailure.unavailable) { try await store.write([1], for: StoreKey("a")) }
            await #expect(throws: StorageFailure.unavailable) { try await store.remove(StoreKey("a")) }
            await #expect(throws: StorageFailure.unavailable) { _ = try await store.keys() }
        }
    }
#endif
