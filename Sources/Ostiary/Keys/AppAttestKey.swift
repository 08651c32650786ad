#if canImport(DeviceCheck)
    import Crypto
    import DeviceCheck
    import Foundation
    import OstiaryJOSE
    import OstiaryOAuth

    /// The App Attest key of a client, and whether the backend knows it. (Apple, DeviceCheck, `DCAppAttestService`)
    struct AppAttestKey {
        let store: any SecretStore
        let clientID: String

        /// The reason for a missing attestation.
        enum Failure: Error {
            /// The key is no longer usable; a new one may be.
            case unusable(SignInError)
            case other(SignInError)

            var reason: SignInError {
                switch self {
                case .unusable(let error), .other(let error): error
                }
            }
        }

        private struct Record {
            var keyID: String
            var isKnown: Bool
        }

        static var isSupported: Bool { DCAppAttestService.shared.isSupported }

        /// Presents evidence for the client data to the backend, and records that the backend has accepted the key.
        func exchanged(
            _ clientData: [UInt8],
            _ exchange: @Sendable (AppAttestEvidence) async throws(SignInError) -> Secret
        ) async throws(Failure) -> Secret {
            let record = try await existingOrNew()
            let hash = Data(SHA256.hash(data: clientData))
            let object = try await evidence(record, hash)
            let evidence = AppAttestEvidence(
                kind: record.isKnown ? .assertion : .attestation,
                keyID: record.keyID,
                object: object,
                clientData: clientData
            )
            let attestation: Secret
            do throws(SignInError) {
                attestation = try await exchange(evidence)
            } catch {
                if case .refused = error.reason, record.isKnown { throw .unusable(error) }
                throw .other(error)
            }
            if !record.isKnown { try await remember(Record(keyID: record.keyID, isKnown: true)) }
            return attestation
        }

        /// Deletes the stored key; the next exchange generates a new one.
        func forget() async throws(Failure) {
            do throws(StorageFailure) { try await store.remove(storeKey) } catch { throw Self.storage(error) }
        }

        private func existingOrNew() async throws(Failure) -> Record {
            let value: [UInt8]?
            do throws(StorageFailure) { value = try await store.read(storeKey) } catch { throw Self.storage(error) }
            if let value, let object = try? JSONObject(parsing: value), let keyID = object["key_id"]?.string {
                return Record(keyID: keyID, isKnown: object["known"]?.bool ?? false)
            }
            do {
                let record = Record(keyID: try await DCAppAttestService.shared.generateKey(), isKnown: false)
                try await remember(record)
                return record
            } catch let failure as Failure {
                throw failure
            } catch {
                throw Self.failure(error)
            }
        }

        private func evidence(_ record: Record, _ hash: Data) async throws(Failure) -> [UInt8] {
            do {
                let service = DCAppAttestService.shared
                return Array(
                    record.isKnown
                        ? try await service.generateAssertion(record.keyID, clientDataHash: hash)
                        : try await service.attestKey(record.keyID, clientDataHash: hash)
                )
            } catch {
                throw Self.failure(error)
            }
        }

        private func remember(_ record: Record) async throws(Failure) {
            let value: JSONObject = ["version": 1, "key_id": .string(record.keyID), "known": .bool(record.isKnown)]
            do throws(StorageFailure) {
                try await store.write(value.encoded(), for: storeKey)
            } catch {
                throw Self.storage(error)
            }
        }

        private var storeKey: StoreKey { StoreKey("app-attest/" + FormURLEncoding.escape(clientID)) }

        private static func storage(_ failure: StorageFailure) -> Failure {
            .other(SignInError(.token, .storage(failure)))
        }

        /// The failure for an error of DeviceCheck (`DCError.Code`).
        private static func failure(_ error: any Error) -> Failure {
            switch (error as? DCError)?.code {
            // DeviceCheck has been seen to return invalidInput for a valid key.
            case .invalidKey, .invalidInput:
                .unusable(SignInError(.token, .configuration("App Attest does not accept its key.")))
            case .featureUnsupported:
                .other(SignInError(.token, .configuration("App Attest is not available on this device.")))
            // Attesting the same key may succeed later.
            default: .other(SignInError(.token, .transport(.unreachable)))
            }
        }
    }
#endif
