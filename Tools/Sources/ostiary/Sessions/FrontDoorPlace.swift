import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import ProviderServer

/// The stored values of a vendor's sign-in under a profile: its configuration, and the values of its front door.
struct FrontDoorPlace {
    let store: any SecretStore

    /// The place of a system under a profile; several processes may use it at once, as they may use one session.
    init(_ options: SessionOptions, of system: VendorSystem) {
        store = NamespacedStore(
            store: options.store.open(),
            prefix: "profile/\(options.profile)/\(system.rawValue)/"
        )
    }

    /// Returns the configuration of the last sign-in.
    ///
    /// - Throws: `signInRequired` when there was none; `storage`.
    func configuration() async throws(SignInError) -> JSONObject {
        let bytes: [UInt8]?
        do throws(StorageFailure) {
            bytes = try await store.read(Self.key)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
        guard let bytes else { throw SignInError(.storage, .signInRequired) }
        guard let object = try? JSONObject(parsing: bytes) else { throw SignInError(.storage, .storage(.corrupted)) }
        return object
    }

    /// Whether there is a configuration.
    ///
    /// - Throws: `storage` when it cannot be read.
    func isConfigured() async throws(SignInError) -> Bool {
        do throws(SignInError) {
            _ = try await configuration()
            return true
        } catch {
            guard error.reason == .signInRequired else { throw error }
            return false
        }
    }

    /// Stores the configuration of a sign-in.
    func keep(_ configuration: JSONObject) async throws(SignInError) {
        do throws(StorageFailure) {
            try await store.write(configuration.encoded(), for: Self.key)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
    }

    private static let key = StoreKey("configuration")
}

extension JSONObject {
    /// The strings of an array that this command wrote; empty for none.
    func texts(_ name: String) -> [String] { self[name]?.array?.compactMap(\.string) ?? [] }
}

extension JSONValue {
    /// An array of strings.
    static func texts(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
}
