package import OstiaryOAuth

extension FileStore: ReservingSecretStore {
    package func reserve(_ count: Int, for key: StoreKey) async throws(StorageFailure) -> ReservedFile {
        try folder.make()
        return try await BlockingWork.run { [folder] () throws(StorageFailure) in
            try folder.reserve(SealedValue.fileName(of: key), bytes: count + SealedValue.maximumOverhead)
        }
    }

    package func write(_ value: [UInt8], for key: StoreKey, in room: ReservedFile) async throws(StorageFailure) {
        room.freeDescriptors()
        do throws(StorageFailure) {
            try await write(value, for: key, reserved: room)
            room.release()
        } catch {
            room.takeDescriptors()
            throw error
        }
    }
}
