import Foundation
import Ostiary
import OstiaryOAuth
import OstiaryProvider
import ProviderServer
import Testing

@Suite("Store")
struct StoreTranscripts {
    @Test("A store that cannot be written fails before the person is asked for anything")
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
            #expect(human.error.hasSuffix("\n  The store is \(file)/below\n"))
        }
    }

    @Test("A store that was changed is refused, and left as it is")
    func corrupted() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            let store = ["--store", "file:\(provider.folder.path("store"))"]
            #expect(try await tool.run(try provider.login() + store).status == 0)
            try provider.eachStored("store") { bytes in bytes[bytes.count / 2] ^= 1 }
            let before = try provider.stored("store")
            for arguments in [["token"], ["userinfo"], ["refresh"], ["logout"], try provider.login()] {
                let transcript = try await tool.run(arguments + store + ["--json"])
                #expect(try transcript.failure() == FailureWords(10, "storage", "storage"))
            }
            #expect(try provider.stored("store") == before)
        }
    }

    @Test("What is stored is sealed, and its owner's alone")
    func sealed() async throws {
        try await TestProvider.running { provider async throws in
            let tool = provider.tool
            let secret = ["--client-secret-env", "OSTIARY_TEST_SECRET"]
            #expect(try await tool.run(try provider.login(client: "basic") + secret).status == 0)
            let stored = try provider.stored("state/ostiary")
            #expect(stored.count == 2)
            for content in stored.values {
                #expect(provider.secrets.found(in: String(decoding: content, as: UTF8.self)).isEmpty)
            }
            for path in ["config/ostiary/store.key"] + stored.keys.map({ "state/ostiary/" + $0 }) {
                let attributes = try FileManager.default.attributesOfItem(atPath: provider.folder.path(path))
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            }
            #expect(try await tool.run(["logout"]).status == 0)
            #expect(try provider.stored("state/ostiary").isEmpty)
        }
    }

    @Test("With --store file: the key lies in the folder")
    func folder() async throws {
        try await TestProvider.running { provider async throws in
            let store = ["--store", "file:\(provider.folder.path("mine"))"]
            #expect(try await provider.tool.run(try provider.login() + store).status == 0)
            #expect(FileManager.default.fileExists(atPath: provider.folder.path("mine/store.key")))
            #expect(try await provider.tool.run(["token"] + store, printing: .onPurpose).status == 0)
            #expect(try await provider.tool.run(["token"]).status == 6)
        }
    }

    @Test("With --store memory nothing is left behind")
    func memory() async throws {
        try await TestProvider.running { provider async throws in
            let store = ["--store", "memory"]
            #expect(try await provider.tool.run(try provider.login() + store).status == 0)
            #expect(try await provider.tool.run(["token"] + store).status == 6)
            #expect(!FileManager.default.fileExists(atPath: provider.folder.path("state")))
        }
    }

    @Test("A sign-in as another client leaves nothing of the one before, and a failed one leaves all of it")
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
            #expect(second.count == 2)
            #expect(Set(first.keys).intersection(second.keys).count == 1)
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
