import Foundation
import ProjectDoctor
import Testing

/// The project in which nothing is wrong, to be changed in one place.
struct Sample: Sendable {
    var files: ProjectFiles
    var context = ProjectContext()

    /// The project, with the association file of its host.
    init() throws {
        files = try ProjectReader().files(at: Self.folder.appending(path: "Reader").path)
        context.association = AssociationFile(
            .file("association.json"),
            bytes: Array(try Data(contentsOf: Self.folder.appending(path: "apple-app-site-association.json")))
        )
    }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")

    static let info = "Reader/Info.plist"
    static let entitlements = "Reader/Reader.entitlements"
    static let signIn = "Reader/SignIn.swift"
    static let store = "Reader/TokenStore.swift"
    static let app = "Reader/ReaderApp.swift"
    static let xcode = "Reader.xcodeproj/project.pbxproj"
    static let mac = "ReaderMac/ReaderMac.entitlements"

    var project: Project { Project(files, context: context) }

    func text(_ path: String) -> String? {
        files.files.first { $0.path == path }.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    mutating func put(_ path: String, _ text: String) {
        files.files.removeAll { $0.path == path }
        files.files.append(ProjectFiles.File(path: path, bytes: Array(text.utf8)))
    }

    mutating func remove(_ path: String) { files.files.removeAll { $0.path == path } }

    /// Writes something else in place of a text that has to be there.
    mutating func replace(_ path: String, _ old: String, _ new: String) throws {
        let text = try #require(self.text(path))
        try #require(text.contains(old))
        put(path, text.replacing(old, with: new))
    }

    /// Signs in with another redirect URI.
    mutating func redirect(to uri: String) throws {
        try replace(Self.signIn, "https://reader.example.com/callback", uri)
    }

    /// Registers another scheme.
    mutating func register(_ scheme: String) throws {
        try replace(
            Self.info,
            "                <string>com.example.reader</string>",
            "                <string>\(scheme)</string>"
        )
    }

    mutating func associate(_ json: String) {
        context.association = AssociationFile(.file("association.json"), bytes: Array(json.utf8))
    }
}

/// The place of an expected finding.
struct Spot: Hashable, CustomStringConvertible {
    var file: String?
    var line: Int?
    var key: String?

    var description: String { "\(file ?? "-"):\(line.map(String.init) ?? "-"): \(key ?? "-")" }
}

/// A change that makes one rule find something.
struct RuleCase: Sendable, CustomTestStringConvertible {
    let rule: String
    /// The places: the file, a text that stands on the line, the key.
    let spots: [(file: String?, on: String?, key: String?)]
    let fix: String?
    let change: @Sendable (inout Sample) throws -> Void

    /// One finding.
    ///
    /// - Parameters:
    ///   - rule: The name of the rule.
    ///   - file: The file of the finding; `nil` for none.
    ///   - on: A text of the one line that is expected; `nil` where no line is.
    ///   - key: The key of the finding; `nil` for none.
    ///   - fix: The text that the advice has to contain.
    ///   - change: The mistake that is made in the sample.
    init(
        _ rule: String,
        _ file: String?,
        on: String? = nil,
        key: String? = nil,
        fix: String? = nil,
        _ change: @escaping @Sendable (inout Sample) throws -> Void
    ) {
        self.init(rule, [(file, on, key)], fix: fix, change)
    }

    init(
        _ rule: String,
        _ spots: [(file: String?, on: String?, key: String?)],
        fix: String? = nil,
        _ change: @escaping @Sendable (inout Sample) throws -> Void
    ) {
        self.rule = rule
        self.spots = spots
        self.fix = fix
        self.change = change
    }

    var testDescription: String { rule + " " + spots.compactMap { $0.on ?? $0.key }.joined(separator: ", ") }
}
