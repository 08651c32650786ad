import Crypto
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

/// The content of one file of a ``FileStore``: a mark with the format's version, the nonce, the ciphertext and its tag
/// (AES-256-GCM, NIST SP 800-38D).
///
/// The ciphertext holds the key's name and the value. The mark and the file's name are authenticated with it, so that a
/// file does not open under another name. Version 1 held no name and authenticated the key's name; it is still read.
///
/// Without a sealing key, the same content is stored as plain text after its SHA-256 digest. The mark says so, and no
/// key opens the file.
enum SealedValue {
    /// The largest file, in bytes.
    static let maximumBytes = 1_048_576
    /// More bytes than the seal and a name of the usual length add to a value.
    static let maximumOverhead = 4_096
    /// The longest name of a key, in bytes.
    static let maximumNameBytes = 65_535

    private static let sealedMark = Array("ostiary-sealed-2\n".utf8)
    private static let formerMark = Array("ostiary-sealed-1\n".utf8)
    private static let plainMark = Array("ostiary-plain-1\n".utf8)

    /// The number of bytes that show whether a file is sealed.
    static let markLength = sealedMark.count

    /// Whether a file with this beginning was sealed with a key.
    static func isSealed(_ start: [UInt8]) -> Bool { start.starts(with: sealedMark) || start.starts(with: formerMark) }

    /// Whether a file begins with the mark of a version that this one does not know.
    static func isOfNewerFormat(_ file: [UInt8]) -> Bool {
        guard ![sealedMark, formerMark, plainMark].contains(where: file.starts) else { return false }
        return [Array("ostiary-sealed-".utf8), Array("ostiary-plain-".utf8)].contains { beginning in
            guard file.starts(with: beginning) else { return false }
            let rest = file.dropFirst(beginning.count)
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            return (1...9).contains(digits.count) && rest.dropFirst(digits.count).first == UInt8(ascii: "\n")
        }
    }

    /// The protection of a file's content.
    enum Seal: Sendable {
        case key(SymmetricKey)
        /// No protection: the app has chosen readable files.
        case plain
    }

    /// A value and its key's name; the name is `nil` for a value of version 1, which does not hold it.
    struct Opened {
        let name: String?
        let value: [UInt8]
    }

    static func seal(_ value: [UInt8], of key: StoreKey, with seal: Seal) throws(StorageFailure) -> [UInt8] {
        let name = Array(key.description.utf8)
        guard name.count <= maximumNameBytes, value.count + name.count <= maximumBytes - 64 else { throw .unavailable }
        let content = [UInt8(name.count >> 8), UInt8(name.count & 0xFF)] + name + value
        switch seal {
        case .plain: return plainMark + Array(SHA256.hash(data: plainMark + content)) + content
        case .key(let symmetricKey):
            guard
                let box = try? AES.GCM.seal(
                    content,
                    using: symmetricKey,
                    authenticating: sealedMark + Array(fileName(of: key).utf8)
                ), let sealed = box.combined
            else { throw .unavailable }
            return sealedMark + Array(sealed)
        }
    }

    /// - Throws: `corrupted` for anything but a value that was sealed for this key, also for a newer version.
    static func open(_ file: [UInt8], of key: StoreKey, with seal: Seal) throws(StorageFailure) -> [UInt8] {
        let fileName = fileName(of: key)
        let opened = try open(file, named: fileName, former: key, with: seal)
        guard opened.name?.utf8.elementsEqual(key.description.utf8) ?? true else { throw .corrupted }
        return opened.value
    }

    /// Opens a file whose key is unknown; `nil` for a file of version 1, which does not hold it.
    static func open(_ file: [UInt8], named fileName: String, with seal: Seal) throws(StorageFailure) -> Opened? {
        guard !file.starts(with: formerMark) else { return nil }
        let opened = try open(file, named: fileName, former: nil, with: seal)
        guard let name = opened.name, Self.fileName(of: StoreKey(name)) == fileName else { throw .corrupted }
        return opened
    }

    private static func open(
        _ file: [UInt8],
        named fileName: String,
        former key: StoreKey?,
        with seal: Seal
    ) throws(StorageFailure) -> Opened {
        switch seal {
        case .plain:
            guard file.starts(with: plainMark), file.count >= plainMark.count + SHA256.byteCount else {
                throw .corrupted
            }
            let content = Array(file.dropFirst(plainMark.count + SHA256.byteCount))
            let digest = Array(file[plainMark.count..<plainMark.count + SHA256.byteCount])
            guard Array(SHA256.hash(data: plainMark + content)) == digest else { throw .corrupted }
            return try opened(content)
        case .key(let symmetricKey) where file.starts(with: formerMark):
            guard let key else { throw .corrupted }
            let value = try unseal(
                file.dropFirst(formerMark.count),
                formerMark + Array(key.description.utf8),
                with: symmetricKey
            )
            return Opened(name: nil, value: value)
        case .key(let symmetricKey):
            guard file.starts(with: sealedMark) else { throw .corrupted }
            return try opened(
                try unseal(file.dropFirst(sealedMark.count), sealedMark + Array(fileName.utf8), with: symmetricKey)
            )
        }
    }

    private static func opened(_ content: [UInt8]) throws(StorageFailure) -> Opened {
        guard content.count >= 2 else { throw .corrupted }
        let length = Int(content[0]) << 8 | Int(content[1])
        guard content.count >= 2 + length,
            let name = String(utf8: content[2..<2 + length])
        else { throw .corrupted }
        return Opened(name: name, value: Array(content[(2 + length)...]))
    }

    private static func unseal(
        _ sealed: ArraySlice<UInt8>,
        _ authenticated: [UInt8],
        with key: SymmetricKey
    ) throws(StorageFailure) -> [UInt8] {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let content = try? AES.GCM.open(box, using: key, authenticating: authenticated)
        else { throw .corrupted }
        return Array(content)
    }

    /// A name of fixed length and harmless characters, which names neither the user nor the issuer.
    static func fileName(of key: StoreKey) -> String {
        let digits = Array("0123456789abcdef")
        let hash = SHA256.hash(data: Array(key.description.utf8))
        return String(hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] }) + fileSuffix
    }

    /// The suffix of each value file's name.
    static let fileSuffix = ".sealed"
}
