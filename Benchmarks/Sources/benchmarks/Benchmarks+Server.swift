import JWTKit
import OstiaryJOSE
import Subjects

/// A request at a guarded route.
extension Benchmarks {
    static func guardRoutes() async throws {
        let iterations = 1000
        for algorithm in [SignatureAlgorithm.rs256, .es256] {
            let key = try SigningKey.generate(algorithm, keyID: "k")
            let token = try Subject.accessToken(by: key)
            let kit = try await kitKeys(key)
            try await Measurement.show(
                Subject.guardedRoute(of: token, by: key, operations: Measurement.rounds * iterations),
                iterations: iterations,
                beside: [
                    ("jwt-kit: the signature, four claims", { _ = try await kit.verify(token, as: AccessClaims.self) })
                ]
            )
        }
    }

    private struct AccessClaims: JWTPayload {
        var iss: String
        var aud: String
        var scope: String
        var exp: Int
        func verify(using algorithm: some JWTAlgorithm) throws {}
    }
}
