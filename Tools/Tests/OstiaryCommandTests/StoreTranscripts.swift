import Foundation
import Ostiary
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Testing

@Suite("Store", .fewAtOnce)
struct StoreTranscripts {
    @Test("An unwritable store fails the login before the user is asked for anything")
    func unwritable() async throws {
        try await TestProvider.running { provider async throws in
            let file = try provider.folder.secretFile("file", "no folder")
            let transcript = try await provider.tool.run(Person(provider).login + ["--store", "file:\(file)/below"]) {
                line in
                #expect(!line.hasPrefix("http"), "A page was shown.")
                return .none
            }
            #expect(try transcript.failure() == FailureWords(10, "storage", "storage"))
            #expect(transcript.error.isEmpty)
            let human = try await provider.tool.run(
                Person(provider).login.dropLast() + ["--store", "file:\(file)/below"]
            )
            #expect(human.status == 10)
            #expect(human.error.hasSuffix("\n  The folder \(file)/below cannot be used: Not a directory.\n"))
        }
    }

    @Test("A store that was modified is rejected, and left unchanged")
    func corrupted() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            let store = ["--store", "file:\(provider.folder.path("store"))"]
            #expect(try await tool.run(try provider.login() + store).status == 0)
            try provider.eachStored("store") { bytes in bytes[bytes.count / 2] ^= 1 }
            let before = try provider.stored("store")
            for arguments in [["token"], ["userinfo"], ["refresh"]] {
                let transcript = try await tool.run(arguments + store + ["--json"])
                #expect(try transcript.failure() == FailureWords(10, "storage", "storage"))
            }
            #expect(try provider.stored("store") == before)
        }
    }

    @Test("A damaged profile hides no other one, and can be removed, signed out and signed in again")
    func damaged() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            let store = ["--store", "file:\(provider.folder.path("store"))"]
            for profile in ["a", "b", "c"] {
                #expect(try await tool.run(try provider.login() + ["--profile", profile] + store).status == 0)
            }
            try provider.eachStored("store") { bytes in bytes[bytes.count / 2] ^= 1 }
            #expect(try await tool.run(try provider.login() + ["--profile", "whole"] + store).status == 0)
            let list = try await tool.run(["sessions", "list", "--json"] + store)
            #expect(list.status == 0)
            #expect(try list.json()["sessions"]?.array?.count == 1)
            #expect(try list.json()["unreadable"]?.array?.count == 9)
            let removed = try await tool.run(["sessions", "remove", "--profile", "a", "--json"] + store)
            #expect(removed.status == 0)
            #expect(try removed.json()["unreadable"]?.array?.count == 8)
            let healthy = ["sessions", "remove", "--profile", "whole", "--json"] + store
            let logout = try await tool.run(["logout", "--profile", "b", "--json"] + store)
            #expect(logout.status == 0)
            #expect(try logout.json()["revocation"] == "failed")
            let message = try logout.json()["revocationError"]?.object?["message"]?.string
            #expect(message?.contains("It has been removed.") == true)
            #expect(try await tool.run(["token", "--profile", "b"] + store).status == 6)
            #expect(try await tool.run(try provider.login() + ["--profile", "c"] + store).status == 0)
            #expect(try await tool.run(["token", "--profile", "c"] + store, printing: .onPurpose).status == 0)
            #expect(try await tool.run(["token", "--profile", "whole"] + store, printing: .onPurpose).status == 0)
            #expect(try await tool.run(healthy).json()["unreadable"] == nil)
        }
    }

    @Test("The files of a damaged profile are removed on request, each with its name, and no readable one")
    func removedFiles() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            let folder = provider.folder.path("store")
            let store = ["--store", "file:\(folder)"]
            #expect(try await tool.run(try provider.login() + ["--profile", "a"] + store).status == 0)
            try provider.eachStored("store") { bytes in bytes[bytes.count / 2] ^= 1 }
            #expect(try await tool.run(try provider.login() + ["--profile", "whole"] + store).status == 0)
            let removed = try await tool.run(["sessions", "remove", "--profile", "a"] + store)
            let line = try #require(removed.output.components(separatedBy: "To remove them, run: ").last)
            #expect(line == "ostiary sessions remove --unreadable --store file:\(folder)\n")
            let left = removed.output.split(separator: "\n").filter { $0.hasPrefix("  \(folder)/") }
            #expect(left.count == 2)
            let rest = try await tool.runInShell(line)
            #expect(rest.status == 0)
            #expect(rest.output == left.map { "Removed\($0.dropFirst())\n" }.joined())
            let list = try await tool.run(["sessions", "list", "--json"] + store).json()
            #expect(list["unreadable"] == nil && list["sessions"]?.array?.count == 1)
            #expect(try await tool.run(["token", "--profile", "whole"] + store, printing: .onPurpose).status == 0)
            let again = try await tool.run(["sessions", "remove", "--unreadable"] + store)
            #expect(again.status == 0 && again.output == "Every file of the store can be read.\n")
            try provider.eachStored("store") { bytes in bytes.replaceSubrange(15..<16, with: [UInt8(ascii: "9")]) }
            let newer = try await tool.run(["sessions", "remove", "--unreadable"] + store)
            #expect(newer.status == 0 && newer.output.hasPrefix("A newer version of ostiary wrote these files"))
            try provider.eachStored("store") { bytes in bytes.replaceSubrange(15..<16, with: [UInt8(ascii: "2")]) }
            #expect(try await tool.run(["token", "--profile", "whole"] + store, printing: .onPurpose).status == 0)
        }
    }

    @Test("Unreadable files are removed of a store of files alone, and not together with a profile")
    func wrongRemoval() async throws {
        let tool = CommandLineTool()
        let memory = try await tool.run(["sessions", "remove", "--unreadable", "--store", "memory"])
        #expect(memory.status == 2 && memory.error.contains("--unreadable is for a store of files"))
        let both = try await tool.run(["sessions", "remove", "--unreadable", "--profile", "a"])
        #expect(both.status == 2 && both.error.contains("Choose --profile or --unreadable."))
    }

    @Test("A missing or readable key file is named with the next step, and no new key is made")
    func keys() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            let store = ["--store", "file:\(provider.folder.path("store"))"]
            let key = provider.folder.path("store/store.key")
            #expect(try await tool.run(try provider.login() + store).status == 0)
            #expect(chmod(key, 0o644) == 0)
            let exposed = try await tool.run(["token"] + store)
            #expect(exposed.status == 10)
            #expect(
                exposed.error.contains(
                    "The key file \(key) has mode 644: other users may read it. Run: chmod 600 \(key)"
                )
            )
            #expect(unlink(key) == 0)
            for arguments in [["token"], try provider.login() + ["--profile", "other"]] {
                let missing = try await tool.run(arguments + store)
                #expect(missing.status == 10)
                #expect(missing.error.contains("The key file \(key) is missing"))
            }
            #expect(access(key, F_OK) != 0)
            #expect(try await tool.run(["sessions", "remove"] + store).status == 0)
        }
    }

    @Test("Stored files are sealed and readable by their owner alone")
    func sealed() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            let secret = ["--client-secret-env", "OSTIARY_TEST_SECRET"]
            #expect(try await tool.run(try provider.login(client: "basic") + secret).status == 0)
            let stored = try provider.stored("state/ostiary")
            // The profile, its session, and what was learned of the issuer.
            #expect(stored.count == 3)
            for content in stored.values {
                #expect(provider.secrets.found(in: String(decoding: content, as: UTF8.self)).isEmpty)
            }
            for path in ["config/ostiary/store.key"] + stored.keys.map({ "state/ostiary/" + $0 }) {
                let attributes = try FileManager.default.attributesOfItem(atPath: provider.folder.path(path))
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            }
            #expect(try await tool.run(["logout"]).status == 0)
            // The client of the profile and the learned facts about the issuer outlive the session.
            #expect(try provider.stored("state/ostiary").count == 2)
        }
    }

    @Test("A removed profile leaves nothing in a store that is too full to be listed")
    func unlisted() async throws {
        try await TestProvider.running { provider async throws in
            let store = ["--store", "file:\(provider.folder.path("store"))"]
            #expect(try await provider.tool.run(try provider.login() + store).status == 0)
            let own = try provider.stored("store").keys
            for number in 0..<10_000 {
                #expect(mknod(provider.folder.path("store/\(number).sealed"), S_IFREG | 0o600, 0) == 0)
            }
            #expect(try await provider.tool.run(["sessions", "list"] + store).status == 10)
            #expect(try await provider.tool.run(["sessions", "remove"] + store).status == 0)
            for name in own { #expect(access(provider.folder.path("store/" + name), F_OK) != 0, "\(name)") }
        }
    }

    @Test("With --store file: the key is stored in the folder")
    func folder() async throws {
        try await TestProvider.running { provider async throws in
            let store = ["--store", "file:\(provider.folder.path("mine"))"]
            #expect(try await provider.tool.run(try provider.login() + store).status == 0)
            #expect(FileManager.default.fileExists(atPath: provider.folder.path("mine/store.key")))
            #expect(try await provider.tool.run(["token"] + store, printing: .onPurpose).status == 0)
            #expect(try await provider.tool.run(["token"]).status == 6)
        }
    }

    @Test("With --store memory nothing is stored")
    func memory() async throws {
        try await TestProvider.running { provider async throws in
            let store = ["--store", "memory"]
            #expect(try await provider.tool.run(try provider.login() + store).status == 0)
            #expect(try await provider.tool.run(["token"] + store).status == 6)
            #expect(!FileManager.default.fileExists(atPath: provider.folder.path("state")))
        }
    }

    @Test("A login as another client replaces the earlier session, and a failed one keeps it")
    func replaced() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            let secret = ["--client-secret-env", "OSTIARY_TEST_SECRET"]
            #expect(try await tool.run(try provider.login()).status == 0)
            let first = try provider.stored("state/ostiary")
            let failed = try provider.login(password: "not it", client: "basic") + secret
            #expect(try await tool.run(failed).status == 5)
            #expect(try provider.stored("state/ostiary") == first)
            #expect(try await tool.run(try provider.login(client: "basic") + secret).status == 0)
            let second = try provider.stored("state/ostiary")
            // Beside the profile, what was learned as the other client stays.
            #expect(second.count == 4)
            #expect(Set(first.keys).intersection(second.keys).count == 2)
            #expect(try await tool.run(["refresh"]).status == 0)
        }
    }
}

extension TestProvider {
    /// The sealed files of a store.
    fileprivate func stored(_ name: String) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(name))
        return try names.filter { $0.hasSuffix(".sealed") }.reduce(into: [:]) { files, file in
            files[file] = try Data(contentsOf: URL(filePath: folder.path(name + "/" + file)))
        }
    }

    /// Changes every sealed file of a store.
    fileprivate func eachStored(_ name: String, _ change: (inout Data) -> Void) throws {
        for (file, content) in try stored(name) {
            var content = content
            change(&content)
            let handle = try FileHandle(forWritingTo: URL(filePath: folder.path(name + "/" + file)))
            try handle.write(contentsOf: content)
            try handle.close()
        }
    }
}
