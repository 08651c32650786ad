import Foundation
import OstiaryJOSE
import Testing

/// One case of a file in Tests/Vectors; printed as the file and what it is about.
struct VectorCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let members: JSONObject

    /// The cases in a list of a file.
    ///
    /// A file that cannot be read, or that has no such list, ends the test run: cases must not get lost unnoticed.
    static func all(_ list: String, in file: String) -> [VectorCase] {
        let folder = URL(filePath: #filePath).appending(path: "../../../Vectors").standardized
        let bytes = [UInt8](try! Data(contentsOf: folder.appending(path: "\(file).json")))
        let document = try! JSONObject(parsing: bytes, limits: JSONLimits(maximumBytes: 1_000_000))
        return document[list]!.array!.map { entry in
            var members = entry.object!
            if members["key"] == nil, members["keyText"] == nil { members["key"] = document["key"] }
            let place = members["section"]?.string ?? "\(members["id"]!.integer!)"
            let comment = members["comment"]!.string!
            return VectorCase(testDescription: "\(file) \(place): \(comment)", members: members)
        }
    }

    /// The cases in the list of several files.
    static func all(_ list: String, in files: [String]) -> [VectorCase] {
        files.flatMap { all(list, in: $0) }
    }

    func string(_ name: String) -> String? {
        members[name]?.string
    }

    func object(_ name: String) throws -> JSONObject {
        try #require(members[name]?.object)
    }

    /// The algorithm that the case names; otherwise all of them.
    func algorithms() throws -> Set<SignatureAlgorithm> {
        guard let name = string("algorithm") else { return Fixtures.allAlgorithms }
        return [try #require(SignatureAlgorithm(rawValue: name))]
    }

    /// The key of the case, as text.
    func keyText() throws -> [UInt8] {
        if let text = string("keyText") { return Array(text.utf8) }
        return try object("key").encoded()
    }
}

extension JOSEError {
    /// The error as the files write it.
    var vectorName: String {
        switch self {
        case .json(let error): "json(\(error))"
        case .noMatchingKey: "noMatchingKey"
        default: "\(self)"
        }
    }
}

/// The result of the work: `nil`, or the name of its error.
func refusal(_ work: () throws(JOSEError) -> Void) -> String? {
    do {
        try work()
        return nil
    } catch {
        return error.vectorName
    }
}
