#if canImport(UIKit)
    import Foundation
    import Ostiary
    import Security
    import SimulatedPlatform
    import SimulatedWorld
    import Testing

    extension OnTheDevice.Keychain {
        @Suite("Access groups and the transfer of an app") struct AccessGroups {
            init() async {
                await freshDevice()
                device.with {
                    $0.app.keychainAccessGroups.append("TEAM000001.shared")
                    $0.app.appGroups = [Fixture.appGroup]
                }
            }

            @Test("Items are the app's own unless a group is named")
            func groups() async throws {
                try await Fixture.store().write(Fixture.token, for: StoreKey("own"))
                try await shared().write(Fixture.token, for: StoreKey("shared"))
                try await grouped().write(Fixture.token, for: StoreKey("grouped"))
                #expect(
                    Fixture.values.map(\.group) == [Fixture.ownGroup, "TEAM000001.shared", Fixture.appGroup]
                )
                #expect(try await shared().read(StoreKey("own")) == nil)
                #expect(try await grouped().read(StoreKey("grouped")) == Fixture.token)
            }

            @Test("An access group that the signature does not grant fails as notEntitled, and not as an empty store")
            func foreign() async throws {
                let store = Fixture.store { $0.accessGroup = .keychainGroup("OTHER00001.shared") }
                for failure in [
                    await store.readFailure(),
                    await store.writeFailure(),
                ] { #expect(failure == .notEntitled) }
                #expect(SignInError(.storage, .storage(.notEntitled)).recovery == .fixConfiguration)
            }

            @Test("An app that moves to another team keeps the sessions that are in its app group, and only those")
            func transfer() async throws {
                try await Fixture.store().write(Fixture.token, for: StoreKey("own"))
                try await grouped().write(Fixture.token, for: StoreKey("grouped"))
                device.transferApp(toTeam: "TEAM000002")
                #expect(try await Fixture.store().read(StoreKey("own")) == nil)
                #expect(try await grouped().read(StoreKey("grouped")) == Fixture.token)
            }

            @Test("Items move from the group with the team's prefix to the app group before a transfer, and back")
            func mover() async throws {
                try await shared().write(Fixture.token, for: Fixture.key)
                let there = Fixture.store {
                    $0.accessGroup = .appGroup(Fixture.appGroup)
                    $0.movingFrom = [.store(accessGroup: .keychainGroup("TEAM000001.shared"))]
                }
                #expect(try await there.read(Fixture.key) == Fixture.token)
                #expect(Fixture.values.map(\.group) == [Fixture.appGroup])
                let back = Fixture.store {
                    $0.accessGroup = .keychainGroup("TEAM000001.shared")
                    $0.movingFrom = [.store(accessGroup: .appGroup(Fixture.appGroup))]
                }
                #expect(try await back.read(Fixture.key) == Fixture.token)
                #expect(Fixture.values.map(\.group) == ["TEAM000001.shared"])
            }

            private func shared() -> KeychainStore {
                Fixture.store { $0.accessGroup = .keychainGroup("TEAM000001.shared") }
            }

            private func grouped() -> KeychainStore {
                Fixture.store { $0.accessGroup = .appGroup(Fixture.appGroup) }
            }
        }
    }
#endif
