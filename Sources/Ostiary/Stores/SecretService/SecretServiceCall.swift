#if os(Linux)
    import CSecretService
    import OstiaryOAuth

    /// The value that a call is about, by the keyring's attributes.
    struct SecretServiceItem: Sendable {
        let application: String
        /// Escaped: an attribute cannot hold a zero byte, and a key can.
        let key: String
        let mayAsk: Int32

        init(_ application: String, _ key: StoreKey, _ unlocking: SecretServiceStore.Unlocking) {
            self.application = application
            self.key = FormURLEncoding.escape(key.description)
            mayAsk = unlocking == .byAsking ? 1 : 0
        }
    }

    /// One call of the library, on the caller's thread.
    struct SecretServiceCall {
        typealias Status = ostiary_secret_status

        let library: OpaquePointer
        let cancellable: UnsafeMutableRawPointer?

        func probe() -> Status { ostiary_secret_probe(library, cancellable) }

        /// Drops the connection, so that the next call opens a new one.
        func disconnect() -> Status {
            ostiary_secret_disconnect(library)
            return OSTIARY_SECRET_DONE
        }

        func read(_ item: SecretServiceItem) -> (Status, [UInt8]?) {
            var bytes: UnsafeMutablePointer<UInt8>?
            var count = 0
            let status = ostiary_secret_read(
                library,
                item.application,
                item.key,
                item.mayAsk,
                cancellable,
                &bytes,
                &count
            )
            defer { ostiary_secret_free(bytes, count) }
            if status == OSTIARY_SECRET_ABSENT { return (OSTIARY_SECRET_DONE, nil) }
            return (status, bytes.map { Array(UnsafeBufferPointer(start: $0, count: count)) })
        }

        func write(_ value: [UInt8], _ item: SecretServiceItem) -> (Status, Void) {
            let status = value.withUnsafeBufferPointer { value in
                ostiary_secret_write(
                    library,
                    item.application,
                    item.key,
                    "Signed-in session (\(item.application))",
                    item.mayAsk,
                    cancellable,
                    value.baseAddress,
                    value.count
                )
            }
            return (status, ())
        }

        func remove(_ item: SecretServiceItem) -> (Status, Void) {
            (ostiary_secret_remove(library, item.application, item.key, item.mayAsk, cancellable), ())
        }

        func list(_ item: SecretServiceItem) -> (Status, [StoreKey]) {
            var bytes: UnsafeMutablePointer<UInt8>?
            var count = 0
            let status = ostiary_secret_list(library, item.application, item.mayAsk, cancellable, &bytes, &count)
            defer { ostiary_secret_free(bytes, count) }
            // Each name ends with a zero byte, even an empty one.
            let names = UnsafeBufferPointer(start: bytes, count: count)
                .split(separator: 0, omittingEmptySubsequences: false)
            var keys: Set<StoreKey> = []
            for name in names.dropLast() {
                // An item that this store did not write has no key to list.
                guard let name = FormURLEncoding.unescape(String(decoding: name, as: UTF8.self)) else { continue }
                keys.insert(StoreKey(name))
            }
            return (status, keys.sorted { $0.description < $1.description })
        }
    }
#endif
