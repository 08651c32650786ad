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
        for file in [
            "bash-completion/completions/ostiary", "zsh/site-functions/_ostiary",
            "fish/vendor_completions.d/ostiary.fish",
        ] {
            let text = try String(contentsOfFile: share + "/" + file, encoding: .utf8)
            #expect(text.contains("client-secret-file") && text.contains("sessions list --json"))
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
