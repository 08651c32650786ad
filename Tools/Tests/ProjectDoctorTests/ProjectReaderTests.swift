import Foundation
import ProjectDoctor
import Testing

@Suite("Reading a project's folder")
struct ProjectReaderTests {
    /// Makes a folder, and removes it afterwards.
    private func withFolder<Value>(_ paths: [String], _ body: (URL) throws -> Value) throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ostiary-doctor-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for path in paths {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data("let x = 1\n".utf8).write(to: file)
        }
        return try body(folder)
    }

    @Test("The project reader skips build products, packages and hidden folders")
    func leftOut() throws {
        let paths = [
            "App/App.swift", "App/Info.plist", "App/notes.txt", ".build/B.swift", "Pods/P.swift", "DerivedData/D.swift",
            "App.app/Info.plist", "Assets.xcassets/Contents.json", "App/auth-config.json", "App/data.json",
        ]
        try withFolder(paths) { folder in
            let files = try ProjectReader().files(at: folder.path)
            #expect(files.files.map(\.path) == ["App/App.swift", "App/Info.plist", "App/auth-config.json"])
            #expect(files.skipped == [])
        }
    }

    @Test("The project reader reports links, and does not follow them")
    func links() throws {
        try withFolder(["App/App.swift", "Other/Secret.swift"]) { folder in
            let app = folder.appending(path: "App")
            let other = folder.appending(path: "Other")
            let manager = FileManager.default
            try manager.createSymbolicLink(
                at: app.appending(path: "Link.swift"),
                withDestinationURL: other.appending(path: "Secret.swift")
            )
            try manager.createSymbolicLink(at: app.appending(path: "Folder"), withDestinationURL: other)
            try manager.createSymbolicLink(at: app.appending(path: "Loop"), withDestinationURL: folder)
            let files = try ProjectReader().files(at: app.path)
            #expect(files.files.map(\.path) == ["App.swift"])
            #expect(files.skipped == [ProjectFiles.Skipped(path: "Link.swift", reason: .link)])
        }
    }

    @Test("The project reader does not wait for a pipe")
    func pipe() throws {
        try withFolder(["App.swift"]) { folder in
            #expect(mkfifo(folder.appending(path: "Pipe.swift").path, 0o600) == 0)
            let files = try ProjectReader().files(at: folder.path)
            #expect(files.files.map(\.path) == ["App.swift"])
        }
    }

    @Test("The project reader reports files beyond a limit, and does not read them")
    func limits() throws {
        try withFolder(["A.swift", "B.swift", "C.swift", "deep/er/D.swift"]) { folder in
            var limits = ProjectReader.Limits()
            limits.depth = 1
            try Data(repeating: 0x20, count: 2_000).write(to: folder.appending(path: "B.swift"))
            limits.fileBytes = 1_999
            let files = try ProjectReader(limits: limits).files(at: folder.path)
            #expect(files.files.map(\.path) == ["A.swift", "C.swift"])
            #expect(
                files.skipped == [
                    ProjectFiles.Skipped(path: "B.swift", reason: .tooLarge),
                    ProjectFiles.Skipped(path: "deep/er", reason: .tooDeep),
                ]
            )
            limits = ProjectReader.Limits()
            limits.files = 2
            let few = try ProjectReader(limits: limits).files(at: folder.path)
            #expect(few.files.map(\.path) == ["A.swift", "B.swift"])
            #expect(few.skipped == [ProjectFiles.Skipped(path: ".", reason: .tooMany)])
            limits = ProjectReader.Limits()
            limits.totalBytes = 15
            let little = try ProjectReader(limits: limits).files(at: folder.path)
            #expect(little.files.map(\.path) == ["A.swift"])
        }
    }

    @Test("The project reader distinguishes a missing folder and an empty one")
    func nothing() throws {
        #expect(throws: ProjectReadingError.noFolder("/nonexistent")) { try ProjectReader().files(at: "/nonexistent") }
        _ = try withFolder(["notes.txt"]) { folder in
            #expect(throws: ProjectReadingError.nothingToRead(folder.path)) {
                try ProjectReader().files(at: folder.path)
            }
        }
    }

    @Test("A file that cannot be read is skipped with the system's reason")
    func unreadable() {
        #expect(ProjectFiles.Skipped.Reason.unreadable(EACCES).sentence == "It cannot be read: Permission denied.")
    }
}
