import Crypto
import OstiaryOAuth

/// The content of one file of a ``FileStore``: a mark with the format's version, then the nonce, the sealed value and
/// its tag (AES-256-GCM, NIST SP 800-38D).
///
/// The mark and the value's name are authenticated with it: a file does not open under another name.
enum SealedValue {
    /// The largest file.
    static let maximumBytes = 1_048_576
    private static let mark = Array("ostiary-sealed-1\n".utf8)

    static func seal(_ value: [UInt8], name: String, with key: SymmetricKey) throws(StorageFailure) -> [UInt8] {
        guard value.count <= maximumBytes - 64,
            let box = try? AES.GCM.seal(value, using: key, authenticating: mark + Array(name.utf8)),
            let sealed = box.combined
        else { throw .unavailable }
        return mark + Array(sealed)
    }

    static func open(_ file: [UInt8], name: String, with key: SymmetricKey) throws(StorageFailure) -> [UInt8] {
        guard file.starts(with: mark),
            let box = try? AES.GCM.SealedBox(combined: file.dropFirst(mark.count)),
            let value = try? AES.GCM.open(box, using: key, authenticating: mark + Array(name.utf8))
        else { throw .corrupted }
        return Array(value)
    }
}
