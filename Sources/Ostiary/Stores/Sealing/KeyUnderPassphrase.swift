import Crypto
import OstiaryOAuth

/// A sealing key in a file, sealed under a passphrase.
struct KeyUnderPassphrase: Sendable {
    let path: String
    private let passphrase: Secret
    private let cost: ScryptCost
    private let memory = RememberedKey()

    init(passphrase: Secret, path: String, cost: ScryptCost) {
        self.passphrase = passphrase
        self.path = path
        self.cost = cost
    }

    func remembered() throws(StorageFailure) -> SymmetricKey { try memory.now() }

    func existing() async throws(StorageFailure) -> SymmetricKey {
        try await memory.get { () async throws(StorageFailure) in
            try await BlockingWork.run { () throws(StorageFailure) in
                guard let key = try read() else { throw .unavailable }
                return key
            }
        }
    }

    func existingOrNew(sealing folder: SealedFolder) async throws(StorageFailure) -> SymmetricKey {
        try await memory.get { () async throws(StorageFailure) in
            try await BlockingWork.run { () throws(StorageFailure) in
                if let key = try read() { return key }
                let isLost = try folder.holdsSealedValue()
                if isLost, let key = try read() { return key }
                guard !isLost else { throw .unavailable }
                try PrivateFile.make(path, holding: try sealed(SealingKey.randomBytes()))
                // Another process may have been first: its key counts, if the passphrase opens it.
                guard let key = try read() else { throw .unavailable }
                return key
            }
        }
    }

    private func read() throws(StorageFailure) -> SymmetricKey? {
        guard let file = try PrivateFile.open(path) else { return nil }
        guard file.isRegular, file.isOwnedByThisUser, file.isClosedToOthers else { throw .unavailable }
        let bytes = try file.bytes(atMost: PassphraseSeal.maximumOverhead)
        let key: [UInt8]
        do throws(PassphraseSeal.Failure) {
            key = try PassphraseSeal.open(bytes, format: Self.format, with: passphrase)
        } catch {
            switch error {
            case .wrongPassphrase: throw .locked
            case .unknownVersion, .malformed, .tooExpensive: throw .corrupted
            case .impossible: throw .unavailable
            }
        }
        return try SealingKey.checked(SymmetricKey(data: key))
    }

    private func sealed(_ key: [UInt8]) throws(StorageFailure) -> [UInt8] {
        do throws(PassphraseSeal.Failure) {
            return try PassphraseSeal.seal(key, format: Self.format, with: passphrase, cost: cost)
        } catch {
            throw .unavailable
        }
    }

    private static let format = "ostiary-key"
}
