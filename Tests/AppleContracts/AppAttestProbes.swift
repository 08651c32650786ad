#if canImport(DeviceCheck)
    import DeviceCheck
    import Foundation
    import Testing

    private enum AppAttestSignatures {
        static func service(_ hash: Data) async throws {
            let service: DCAppAttestService = DCAppAttestService.shared
            let _: Bool = service.isSupported
            let identifier: String = try await service.generateKey()
            let _: Data = try await service.attestKey(identifier, clientDataHash: hash)
            let _: Data = try await service.generateAssertion(identifier, clientDataHash: hash)
        }

        static func code(of error: any Error) -> DCError.Code? { (error as? DCError)?.code }
    }

    @Suite struct AppAttestContract {
        @Test func codes() {
            #expect(DCError.Code.unknownSystemFailure.rawValue == 0)
            #expect(DCError.Code.featureUnsupported.rawValue == 1)
            #expect(DCError.Code.invalidInput.rawValue == 2)
            #expect(DCError.Code.invalidKey.rawValue == 3)
            #expect(DCError.Code.serverUnavailable.rawValue == 4)
            #expect(DCError.errorDomain == "com.apple.devicecheck.error")
        }
    }
#endif
