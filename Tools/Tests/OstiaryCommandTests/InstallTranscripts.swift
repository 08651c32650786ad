import ArgumentParser
import Foundation
import Testing

@testable import OstiaryCommand

@Suite("scripts/install.sh", .fewAtOnce)
struct InstallTranscripts {
    @Test("The program, a manual page for each command and three completions are installed, and groff reads the pages")
    func install() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
            .path
        let program = try CommandLineTool.folder.appending(path: "ostiary").path
        let line = """
            DESTDIR='\(folder.path(""))' PREFIX=/usr OSTIARY='\(program)' '\(root)/scripts/install.sh' && \
            cd '\(folder.path("usr/share/man/man1"))' && \
            if command -v groff >/dev/null; then groff -man -Tutf8 -ww -z *.1; fi
            """
        let transcript = try await CommandLineTool().runInShell(line)
        #expect(transcript.status == 0 && transcript.error == "")
        let share = folder.path("usr/share")
        let found = Set(try FileManager.default.contentsOfDirectory(atPath: share + "/man/man1"))
        let commands = AdviceTests.Command.all().filter { $0.type.configuration.shouldDisplay }
        #expect(found == Set(commands.map { (["ostiary"] + $0.path).joined(separator: "-") + ".1" }))
        let page = try String(contentsOfFile: share + "/man/man1/ostiary-token.1", encoding: .utf8)
        #expect(page.contains("\\fB\\-\\-format <"))
        for command in commands where command.type.configuration.subcommands.isEmpty {
            let name = (["ostiary"] + command.path).joined(separator: "-")
            let page = try String(contentsOfFile: share + "/man/man1/\(name).1", encoding: .utf8)
            #expect(page.contains("\\fB\\-\\-ca\\-file <file>"), "\(name)")
        }
        for file in [
            "bash-completion/completions/ostiary", "zsh/site-functions/_ostiary",
            "fish/vendor_completions.d/ostiary.fish",
        ] {
            let text = try String(contentsOfFile: share + "/" + file, encoding: .utf8)
            #expect(text.contains("client-secret-file") && text.contains("sessions list --json"))
        }
    }

    @Test(
        "A shell completes files, profiles, stores and the values of an option",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/bash"))
    )
    func completion() async throws {
        try await TestProvider.running { provider in
            #expect(try await provider.tool.run(try provider.login("--profile", "work")).status == 0)
            let script = provider.folder.path("completion.bash")
            _ = try provider.folder.secretFile("certificate.pem", "")
            let tool = provider.tool
            let making = try await tool.runInShell("ostiary --generate-completion-script bash >'\(script)'")
            #expect(making.status == 0)
            for (words, candidates) in [
                (["token", "--profile", ""], ["work"]), (["token", "--store", "k"], ["keyring"]),
                (["login", "--prompt", "sel"], ["select_account"]),
                (["login", "--id-token-alg", "ES5"], ["ES512"]),
                (["idp", "serve", "--rules", "st"], ["strict"]), (["idp", "serve", "--like", "key"], ["keycloak"]),
                (["idp", "serve", "--scenario", "oidcc-client-test-nonce-i"], ["oidcc-client-test-nonce-invalid"]),
                (["doctor", "--against", "fa"], ["fapi2"]),
                (["exchange", "--subject-token-type", "id"], ["id_token"]),
                (["status", "--ca-file", "cert"], ["certificate.pem"]), (["logto", "to"], ["token"]),
            ] {
                let list = (["ostiary"] + words).map { "'\($0)'" }.joined(separator: " ")
                let line = """
                    cd '\(provider.folder.path(""))' && . '\(script)' && COMP_WORDS=(\(list)) && \
                    COMP_CWORD=\(words.count) && COMP_LINE='ostiary \(words.joined(separator: " "))' && \
                    COMP_POINT=${#COMP_LINE} && _ostiary ostiary \(list.split(separator: " ").suffix(2).reversed().joined(separator: " ")) 2>/dev/null; printf '%s\\n' "${COMPREPLY[@]}"
                    """
                let completed = try await tool.runInShell(line, shell: "bash")
                let found = completed.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
                #expect(found == candidates, "\(words) \(completed.error)")
            }
        }
    }

    @Test("The names of profiles are listed for completion")
    func profiles() async throws {
        try await TestProvider.running { provider in
            #expect(try await provider.tool.run(try provider.login("--profile", "work")).status == 0)
            let transcript = try await provider.tool.runInShell(SessionOptions.listingProfiles)
            #expect(transcript.output == "work\n")
        }
    }
}
