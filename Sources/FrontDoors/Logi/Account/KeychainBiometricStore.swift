#if canImport(Security)
    public import Ostiary

    /// Keychain items that are released only to the enrolled finger or face (`biometryCurrentSet`).
    ///
    /// The system makes the check when it opens the item. An item needs a passcode on the device, never leaves it, and
    /// is unreadable for good when the enrolled fingers or faces change.
    public struct KeychainBiometricStore: BiometricStore {
        private let service: String

        /// Makes a store.
        ///
        /// - Parameter service: The items' service (`kSecAttrService`). Default: the one of the vendor's document.
        public init(service: String = "logi.high_assurance_token") { self.service = service }

        /// Returns the value of a key, after the user has confirmed; `nil` when there is none, and when the enrolled
        /// fingers or faces have changed since it was written.
        public func read(_ key: StoreKey, because reason: String) async throws(StorageFailure) -> [UInt8]? {
            do throws(StorageFailure) {
                return try await items(because: reason).read(key)
            } catch {
                guard error == .invalidated else { throw error }
                return nil
            }
        }

        /// Sets the value of a key; the user is not asked.
        public func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
            try await items(because: "").write(value, for: key)
        }

        /// Removes the value of a key; the user is not asked.
        public func remove(_ key: StoreKey) async throws(StorageFailure) {
            try await items(because: "").remove(key)
        }

        /// The items, with the reason of one reading.
        private func items(because reason: String) -> KeychainStore {
            var configuration = KeychainStore.Configuration()
            configuration.service = service
            configuration.userCheck = KeychainStore.UserCheck(.currentBiometry) { reason }
            return KeychainStore(configuration)
        }
    }
#endif
