import Foundation
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Testing

@testable import OstiaryCommand

@Suite("Other programs with a token", .fewAtOnce, .serialized)
struct RunningTranscripts {
    private func signedIn(
        lifetimes: ProviderConfiguration.Lifetimes = .init(),
        _ body: (TestProvider) async throws -> Void
    ) async throws {
        try await TestProvider.running(lifetimes: lifetimes) { provider async throws in
            #expect(try await provider.tool.run(try provider.login()).status == 0)
            try await body(provider)
        }
    }

    @Test("exec passes the token in a variable, and in no argument")
    func variable() async throws {
        try await signedIn { provider in
            let token = try await provider.tool.run(["token"], printing: .onPurpose).output
            let own = try await provider.tool.run(
                ["exec", "--", "sh", "-c", "printenv OSTIARY_ACCESS_TOKEN; tr '\\0' ' ' < /proc/$PPID/cmdline"],
                printing: .onPurpose
            )
            #expect(own.status == 0 && own.error.isEmpty)
            #expect(own.output.hasPrefix(token))
            #expect(provider.secrets.found(in: String(own.output.dropFirst(token.count))).isEmpty)
            let named = try await provider.tool.run(
                ["exec", "--env", "API_TOKEN", "--", "sh", "-c", "printenv API_TOKEN; printenv OSTIARY_ACCESS_TOKEN"],
                printing: .onPurpose
            )
            #expect(named.output == token && named.status == 1)
        }
    }

    @Test("exec passes the token in a file or a descriptor, not in the environment, and removes the file")
    func fileAndDescriptor() async throws {
        try await signedIn { provider in
            var tool = provider.tool
            // What is in ostiary's own environment is its caller's business, and the command's, too.
            tool.environment["OSTIARY_TEST_SECRET"] = nil
            let token = try await provider.tool.run(["token"], printing: .onPurpose).output
            let file = try await tool.run(
                ["exec", "--file-env", "T", "--", "sh", "-c", #"cat "$T"; stat -Lc %a "$T"; echo "$T"; env"#],
                printing: .onPurpose
            )
            #expect(file.status == 0 && file.output.hasPrefix(token + "600\n/"))
            let path = try #require(file.output.split(separator: "\n").dropFirst(2).first.map(String.init))
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(provider.secrets.found(in: String(file.output.dropFirst(token.count))).isEmpty)
            let descriptor = try await tool.run(
                ["exec", "--fd", "7", "--", "sh", "-c", "read -r t <&7; echo \"$t\"; env"],
                printing: .onPurpose
            )
            #expect(descriptor.status == 0 && descriptor.output.hasPrefix(token))
            #expect(provider.secrets.found(in: String(descriptor.output.dropFirst(token.count))).isEmpty)
        }
    }

    @Test("exec's token file is removed when ostiary is killed, although the command continues")
    func killed() async throws {
        try await signedIn { provider in
            var tool = provider.tool
            tool.environment["XDG_RUNTIME_DIR"] = provider.folder.path("run")
            tool.environment["SAYS"] = provider.folder.path("says")
            try FileManager.default.createDirectory(
                atPath: provider.folder.path("run"),
                withIntermediateDirectories: true
            )
            // The command waits for the end of its parent, and then looks what it can still read.
            let command = #"""
                test -s "$T" && kill -KILL $PPID
                while [ -d /proc/$PPID ] && ! grep -q '^State:.Z' /proc/$PPID/status; do sleep 0.05; done
                { cat "$T" 2>/dev/null && echo still || echo gone; ls -A "$XDG_RUNTIME_DIR"; } > "$SAYS.new"
                mv "$SAYS.new" "$SAYS"
                """#
            let transcript = try await tool.run(["exec", "--file-env", "T", "--", "sh", "-c", command])
            #expect(transcript.status == nil)
            var says: String?
            while says == nil {
                try await Task.sleep(for: .milliseconds(20))
                says = try? String(contentsOfFile: provider.folder.path("says"), encoding: .utf8)
            }
            #expect(says == "gone\n")
        }
    }

    @Test("A token folder left by a killed process is removed by the next one")
    func leftBehind() throws {
        let place = try TemporaryFolder()
        defer { place.remove() }
        let folders = { try FileManager.default.contentsOfDirectory(atPath: place.path("run")) }
        try FileManager.default.createDirectory(atPath: place.path("run"), withIntermediateDirectories: true)
        let living = try TokenFolder(in: place.path("run"))
        try living.write(Secret("a token"))
        // The rest of a process that was killed: its files, and a lock that no process holds.
        let left = place.path("run/ostiary-token-killed")
        try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
        for name in ["token", "owner"] { try Data("x".utf8).write(to: URL(filePath: "\(left)/\(name)")) }
        // One of another program's making, and one that is being made.
        for name in ["ostiary-token-new", "other"] {
            try FileManager.default.createDirectory(
                atPath: place.path("run/" + name),
                withIntermediateDirectories: true
            )
        }
        let next = try TokenFolder(in: place.path("run"))
        #expect(try Set(folders()).isSuperset(of: ["ostiary-token-new", "other"]) && folders().count == 4)
        #expect(!FileManager.default.fileExists(atPath: left))
        #expect(try String(contentsOfFile: living.path, encoding: .utf8) == "a token\n")
        living.remove()
        next.remove()
        #expect(try Set(folders()) == ["ostiary-token-new", "other"])
    }

    @Test("While the command runs, exec's file holds a valid token")
    func renewed() async throws {
        var lifetimes = ProviderConfiguration.Lifetimes()
        lifetimes.accessToken = .seconds(4)
        try await signedIn(lifetimes: lifetimes) { provider in
            let script = #"""
                first=$(cat "$T"); n=0
                while [ "$(cat "$T")" = "$first" ] && [ $n -lt 100 ]; do sleep 0.2; n=$((n + 1)); done
                [ "$(cat "$T")" != "$first" ] && echo renewed
                """#
            let transcript = try await provider.tool.run(
                ["exec", "--min-valid", "2", "--file-env", "T", "--", "sh", "-c", script]
            )
            #expect(transcript.output == "renewed\n" && transcript.status == 0)
            let lines = try await provider.tool.run(
                [
                    "exec", "--min-valid", "2", "--fd", "3", "--", "sh", "-c",
                    #"read -r a <&3; read -r b <&3; [ "$a" != "$b" ] && echo two"#,
                ]
            )
            #expect(lines.output == "two\n")
        }
    }

    @Test(
        "exec returns the command's status, and its own failures have statuses of their own",
        arguments: [
            (["sh", "-c", "exit 0"], 0), (["sh", "-c", "exit 3"], 3), (["sh", "-c", "kill -TERM $$"], 143),
            (["ostiary-there-is-none"], 127), (["/etc/hostname"], 126),
        ] as [([String], Int32)]
    )
    func status(command: [String], status: Int32) async throws {
        try await signedIn { provider in
            let transcript = try await provider.tool.run(["exec", "--"] + command)
            #expect(transcript.status == status)
            #expect(transcript.output.isEmpty && transcript.error.isEmpty == (status < 126 || status == 143))
        }
    }

    @Test("exec without a session exits with 125 and runs nothing")
    func noSession() async throws {
        try await TestProvider.running { provider async throws in
            let transcript = try await provider.tool.run(["exec", "--", "sh", "-c", "echo ran"])
            #expect(transcript.status == 125 && transcript.output.isEmpty)
            #expect(transcript.error.hasPrefix("ostiary: Not signed in (profile \"default\")."))
        }
    }

    @Test("A signal to ostiary reaches exec's command", arguments: ["INT", "TERM", "HUP", "USR1"])
    func signals(name: String) async throws {
        try await signedIn { provider in
            let script = "trap 'echo got \(name); exit 9' \(name); kill -\(name) $PPID; while :; do sleep 0.1; done"
            let transcript = try await provider.tool.run(["exec", "--", "sh", "-c", script])
            #expect(transcript.output == "got \(name)\n" && transcript.status == 9)
        }
    }

    @Test(
        "exec's command ignores the signals that ostiary was started to ignore, and no others",
        arguments: ["", "trap '' HUP; ", "trap '' INT QUIT; ", "trap '' PIPE; "]
    )
    func ignoredSignals(trap: String) async throws {
        try await signedIn { provider in
            let look = "grep SigIgn /proc/self/status"
            let usual = try await provider.tool.runInShell(trap + look)
            let run = try await provider.tool.runInShell(trap + "ostiary exec -- " + look)
            #expect(run.status == 0 && Self.ignored(run.output) == Self.ignored(usual.output))
            #expect(usual.output.hasPrefix("SigIgn:"))
        }
    }

    /// The signals that a process ignores, without 32 and 33: the C library's `posix_spawn` has its own use for them.
    private static func ignored(_ line: String) -> UInt64? {
        line.split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0, radix: 16) }.map { $0 & ~0x1_8000_0000 }
    }

    @Test("With nohup the end of the terminal ends neither ostiary nor exec's command")
    func nohup() async throws {
        try await signedIn { provider in
            let run = try await provider.tool.runInShell(
                "trap '' HUP; ostiary exec -- sh -c 'kill -HUP $PPID $$; echo alive'"
            )
            #expect(run.status == 0 && run.output == "alive\n")
        }
    }

    @Test("exec's command reads ostiary's standard input")
    func input() async throws {
        try await signedIn { provider in
            let transcript = try await provider.tool.runInShell("echo typed | ostiary exec -- cat")
            #expect(transcript.output == "typed\n")
        }
    }

    @Test("A token is printed as a header, for a shell and for curl, and curl's arguments contain no token")
    func formats() async throws {
        try await signedIn { provider in
            let tool = provider.tool
            let token = String(try await tool.run(["token"], printing: .onPurpose).output.dropLast())
            func printed(_ format: String) async throws -> String {
                try await tool.run(["token", "--format", format], printing: .onPurpose).output
            }
            #expect(try await printed("raw") == token + "\n")
            #expect(try await printed("header") == "Authorization: Bearer \(token)\n")
            #expect(try await printed("curl") == "header = \"Authorization: Bearer \(token)\"\n")
            let lines = try await printed("env").split(separator: "\n")
            #expect(lines.count == 3 && lines[0] == "export OSTIARY_ACCESS_TOKEN='\(token)'")
            let json = try await tool.run(["token", "--format", "json"], printing: .onPurpose).json()
            #expect(json["accessToken"]?.string == token)
            let shell = try await tool.runInShell(
                #"eval "$(ostiary token --format env)"; printf %s "$OSTIARY_ACCESS_TOKEN" | wc -c"#
            )
            #expect(shell.output.trimmingCharacters(in: .whitespacesAndNewlines) == "\(token.utf8.count)")
            #expect(try await tool.run(["token", "--format", "header", "--json"]).status == 2)
        }
    }

    @Test("A bound token is not printed in formats that lack its key")
    func bound() async throws {
        try await TestProvider.running { provider async throws in
            #expect(try await provider.tool.run(try provider.login("--dpop")).status == 0)
            for format in ["header", "curl"] {
                let transcript = try await provider.tool.run(["token", "--format", format])
                #expect(transcript.status == 2 && transcript.error.contains("ostiary request"))
            }
        }
    }

    @Test("The request command sends its token to the intended origin only")
    func request() async throws {
        try await signedIn { provider in
            let url = provider.issuer + "/userinfo"
            let refused = try await provider.tool.run(["request", "GET", url])
            #expect(refused.status == 2 && refused.error.contains("--allow-origin \(provider.issuer)"))
            let allowed = ["--allow-origin", provider.issuer]
            let raw = try await provider.tool.run(["request", "get", url] + allowed)
            #expect(raw.status == 0 && raw.output.contains("\"sub\":\"user-alice\""))
            let json = try await provider.tool.run(["request", "GET", url, "--json"] + allowed).json()
            #expect(json["ok"] == true && json["status"] == 200 && json["contentType"] == "application/json")
            let missing = try await provider.tool.run(
                ["request", "GET", provider.issuer + "/nothing", "--json"] + allowed
            )
            #expect(missing.status == 1)
            #expect(try missing.json()["ok"] == false && missing.json()["status"] == 404)
            for header in ["Authorization: x", "no colon", "a b: c"] {
                #expect(try await provider.tool.run(["request", "GET", url, "--header", header] + allowed).status == 2)
            }
        }
    }

    @Test("A bound token is sent with its proof")
    func boundRequest() async throws {
        try await TestProvider.running { provider async throws in
            #expect(try await provider.tool.run(try provider.login("--dpop")).status == 0)
            let transcript = try await provider.tool.run([
                "request", "GET", provider.issuer + "/userinfo", "--allow-origin", provider.issuer,
            ])
            #expect(transcript.status == 0 && transcript.output.contains("user-alice"))
        }
    }

    @Test("Eight processes refresh one profile at once, and its session is kept")
    func together() async throws {
        var lifetimes = ProviderConfiguration.Lifetimes()
        lifetimes.accessToken = .seconds(1)
        try await signedIn(lifetimes: lifetimes) { provider in
            try await withThrowingTaskGroup(of: Int32?.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await provider.tool.run(["token", "--min-valid", "0"], printing: .onPurpose).status
                    }
                }
                for try await status in group { #expect(status == 0) }
            }
            #expect(try await provider.tool.run(["refresh"]).status == 0)
        }
    }
}
