#if canImport(DeviceCheck)
    import Crypto
    import DeviceCheck
    import Foundation
    import OstiaryJOSE
    public import OstiaryOAuth

    extension ClientAttester {
        /// The app's own backend, to which Apple's App Attest proves that the request comes from the app.
        ///
        /// The App Attest key is generated once for an installation, and again when the device or the backend no longer
        /// knows it.
        ///
        /// - Parameters:
        ///   - store: The store of the App Attest key's identifier.
        ///   - challenge: Requests bytes from the backend that it has never issued before.
        ///   - exchange: Presents the evidence to the backend, and returns the client attestation that the backend
        ///     signs. Throw `refused` for an assertion when the backend does not know the key.
        /// - Returns: The attester, for one authorization server.
        public static func appAttest(
            store: any SecretStore,
            challenge: @escaping @Sendable () async throws(SignInError) -> [UInt8],
            exchange: @escaping @Sendable (AppAttestEvidence) async throws(SignInError) -> Secret
        ) -> ClientAttester {
            ClientAttester { (request) async throws(SignInError) in
                guard AppAttestKey.isSupported else {
                    let sentence = "App Attest is not available on this device, or not for this kind of process."
                    throw SignInError(.token, .configuration(sentence))
                }
                let key = AppAttestKey(store: store, clientID: request.clientID)
                do throws(AppAttestKey.Failure) {
                    return try await key.exchanged(try await data(request, challenge), exchange)
                } catch {
                    // A key that the device or the backend does not know is replaced once, not again and again.
                    guard case .unusable = error else { throw error.reason }
                }
                do throws(AppAttestKey.Failure) {
                    try await key.forget()
                    // The first challenge may have been used.
                    return try await key.exchanged(try await data(request, challenge), exchange)
                } catch {
                    throw error.reason
                }
            }
        }

        private static func data(
            _ request: Request,
            _ challenge: @Sendable () async throws(SignInError) -> [UInt8]
        ) async throws(AppAttestKey.Failure) -> [UInt8] {
            let fresh: [UInt8]
            do throws(SignInError) { fresh = try await challenge() } catch { throw .other(error) }
            let data: JSONObject = [
                "challenge": .string(Base64URL.encode(fresh)),
                "client_id": .string(request.clientID),
                "jwk": .object(request.publicKey.jsonObject),
            ]
            return data.encoded()
        }
    }
#endif
