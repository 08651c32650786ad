import OstiaryJOSE

/// A file that holds a JSON object.
enum JSONFile {
    /// Reads one JSON object from a file.
    ///
    /// - Throws: ``UsageError`` when there is no such file, or when it contains anything but one object.
    static func object(_ path: String, _ noun: String) throws(UsageError) -> JSONObject {
        let text = try SecretFile.text(of: path, noun, console: nil)
        do throws(JSONError) {
            return try JSONObject(parsing: Array(text.utf8))
        } catch {
            throw UsageError("The \(noun) file \(path) does not hold one JSON object.")
        }
    }
}

extension JSONFile {
    /// A text member of an object; `nil` without one, or when the bytes hold something other than an object.
    static func member(_ name: String, of bytes: [UInt8]) -> String? {
        guard bytes.count <= 1_048_576, let object = try? JSONObject(parsing: bytes) else { return nil }
        return object[name]?.string
    }
}
