import AppleWorld
import Foundation
import Ostiary
import OstiaryTesting
import Security
import SimulatedPlatform
import SimulatedWorld
import Testing

/// Tests of the keychain, one after another: there is one simulated device in a process.
extension OnTheDevice {
    @Suite("The keychain") enum Keychain {}
}

/// The values that tests of the keychain share.
enum Fixture {
    static let key = StoreKey.session(issuer: try! Issuer("https://id.example.test"), clientID: "app")
    static let token = Array("refresh-token".utf8)
    static let newer = Array("newer-token".utf8)
    static let appGroup = "group.com.example.shared"
    static let ownGroup = "TEAM000001.com.example.app"

    /// A store on a device that a test has set up.
    static func store(
        clock: DeviceClock = .system,
        _ change: (inout KeychainStore.Configuration) -> Void = { _ in }
    ) -> KeychainStore {
        var configuration = KeychainStore.Configuration()
        change(&configuration)
        return KeychainStore(configuration, clock: clock)
    }

    /// A store whose values a user guards.
    static func guarded(
        _ method: KeychainStore.UserCheck.Method = .currentBiometry,
        relockTime: Duration = .zero,
        clock: DeviceClock = .system
    ) -> KeychainStore {
        store(clock: clock) {
            $0.userCheck = .init(method, relockTime: relockTime) { "Unlock your session" }
        }
    }

    /// The items that hold a value, and not what the store knows about them.
    static var values: [KeychainItem] {
        device.keychainItems().filter {
            !$0.account.hasPrefix("ostiary:") && !$0.account.hasSuffix("#state")
        }
    }
}

extension KeychainStore {
    /// The failure of reading the fixture's key; `nil` when it succeeds.
    func readFailure(_ key: StoreKey = Fixture.key) async -> StorageFailure? {
        await storageFailure { () throws(StorageFailure) in _ = try await self.read(key) }
    }

    /// The failure of reading it at once.
    func readNowFailure(_ key: StoreKey = Fixture.key) async -> StorageFailure? {
        await storageFailure { () throws(StorageFailure) in _ = try self.readNow(key) }
    }

    /// The failure of writing a newer value.
    func writeFailure(_ key: StoreKey = Fixture.key) async -> StorageFailure? {
        await storageFailure { () throws(StorageFailure) in try await self.write(Fixture.newer, for: key) }
    }

    /// The failure of removing it.
    func removeFailure(_ key: StoreKey = Fixture.key) async -> StorageFailure? {
        await storageFailure { () throws(StorageFailure) in try await self.remove(key) }
    }
}
