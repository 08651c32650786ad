import Ostiary

#if canImport(Security)
    import Foundation
    import Security
#endif

/// The place in the keychain where the vendor's SDK keeps a device's credential: one item for each part, as text.
///
/// (`LogiDeviceKey.swift` and `LogiAuthAnonymousDevice.swift` of the vendor's SDK.)
struct LogiKeychainCredential: Sendable {
    private let service: String
    private let deviceAccount: String
    private let secretAccount: String
    private let recordAccount: String?

    static func deviceKey(inService service: String) -> Self {
        Self(
            service: service,
            deviceAccount: "device_uuid",
            secretAccount: "device_secret",
            recordAccount: "device_record_id"
        )
    }

    static func anonymousDevice(inService service: String) -> Self {
        Self(
            service: service,
            deviceAccount: "anonymous_device_id",
            secretAccount: "anonymous_device_secret",
            recordAccount: nil
        )
    }

    /// The credential; `nil` without an identifier that can be read.
    func read() -> (device: String, secret: Secret?, record: String?)? {
        guard let device = text(deviceAccount), (1...512).contains(device.utf8.count) else { return nil }
        return (device, text(secretAccount).map { Secret($0) }, recordAccount.flatMap(text))
    }

    #if canImport(Security)
        private func text(_ account: String) -> String? {
            let query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: service,
                kSecAttrAccount as String: account,
                kSecReturnData as String: true,
                kSecMatchLimit as String: kSecMatchLimitOne,
            ]
            var item: CFTypeRef?
            guard SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess, let data = item as? Data,
                (1...4096).contains(data.count)
            else { return nil }
            return String(data: data, encoding: .utf8)
        }
    #else
        private func text(_ account: String) -> String? { nil }
    #endif
}
