import Foundation
import Synchronization

/// Every secret of a trial, and the search for them in all output of its processes.
final class StressSecrets: Sendable {
    private let values = Mutex<Set<[UInt8]>>([])

    /// Remembers a token, and the parts of one that is made of some.
    func add(_ token: String?) {
        guard let token else { return }
        let bytes = Array(token.utf8)
        // The first part is the header, which all tokens of a key share.
        let parts = bytes.split(separator: UInt8(ascii: ".")).dropFirst().map(Array.init)
        values.withLock { values in
            values.insert(bytes)
            for part in parts where part.count >= Self.shortest { values.insert(part) }
        }
    }

    /// Whether a secret stands somewhere in a text, or among any other bytes.
    func isShown(in bytes: some Sequence<UInt8>) -> Bool {
        values.withLock { values in
            var word: [UInt8] = []
            for byte in Array(bytes) + [0] {
                if Self.isOfToken(byte) {
                    word.append(byte)
                    continue
                }
                if word.count >= Self.shortest {
                    if values.contains(word) { return true }
                    let parts = word.split(separator: UInt8(ascii: "."))
                    if parts.contains(where: { values.contains(Array($0)) }) { return true }
                }
                word.removeAll(keepingCapacity: true)
            }
            return false
        }
    }

    private static func isOfToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")].contains(byte)
        }
    }

    private static let shortest = 16
}

extension StressSecrets {
    /// Whether the arguments or the environment of a process contain a secret.
    func isShown(byProcess process: Int32) -> Bool {
        ["cmdline", "environ"].contains { name in
            FileManager.default.contents(atPath: "/proc/\(process)/\(name)").map { isShown(in: $0) } ?? false
        }
    }

    /// The files of a folder and of those in it in whose content or name a secret stands.
    func files(showingAny folder: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.filter { name in
            isShown(in: name.utf8)
                || FileManager.default.contents(atPath: folder + "/" + name).map { isShown(in: $0) } ?? false
        }
    }
}
