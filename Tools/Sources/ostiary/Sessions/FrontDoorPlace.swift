import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import ProviderServer

/// The stored values of a vendor's sign-in under a profile: its configuration, and the values of its front door.
struct FrontDoorPlace {
    let store: any SecretStore
    private let profile: ProfileName
    private let system: VendorSystem

    /// The place of a system under a profile; several processes may use it at once, as they may use one session.
    init(_ options: SessionOptions, of system: VendorSystem) {
        profile = options.profile
        self.system = system
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

    /// Returns the settings of a sign-in: those of the command, over those of the last sign-in or the defaults.
    ///
    /// A command that names a client uses nothing of the last sign-in, which may have been of another one.
    ///
    /// - Parameters:
    ///   - given: The settings that the command names.
    ///   - defaults: The settings of a first sign-in.
    ///   - client: The members that name the client, with the options that give them; each is required.
    /// - Returns: The settings.
    /// - Throws: ``UsageError`` without a client; `storage` when the last settings cannot be read.
    func settings(
        _ given: JSONObject,
        or defaults: JSONObject,
        naming client: [(member: String, option: String)]
    ) async throws -> JSONObject {
        let namesClient = client.contains { given[$0.member] != nil }
        var settings = defaults
        let hasFormer = try await isConfigured()
        let former = hasFormer && !namesClient ? try await configuration() : [:]
        for member in former.members + given.members { settings[member.name] = member.value }
        let missing = client.filter { settings[$0.member] == nil }.map(\.option)
        guard missing.isEmpty else {
            let reason = namesClient ? "" : ": the profile \(profile) has no earlier one"
            throw UsageError(
                "A sign-in through \(system.rawValue) needs \(missing.joined(separator: " and "))\(reason)."
            )
        }
        return settings
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
