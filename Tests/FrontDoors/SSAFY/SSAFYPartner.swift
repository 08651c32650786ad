import Foundation
import HTTPTypes
import Ostiary
import OstiaryCompatibility
import OstiarySSAFY
import OstiarySSAFYServer
import OstiaryServer
import OstiaryTesting

/// A partner's backend, made of the backend kit: the app's transport ends here.
final class SSAFYPartner: HTTPTransport {
    static let endpoint = URL(string: "https://partner.example.com/api/ssafy/verify")!

    let store: MemoryServerStore
    let handoff: SSAFYHandoff
    private let seen = Lock<[EndpointRequest]>([])
    private let verified: Verified

    /// The claims of every token that passed.
    private final class Verified: Sendable {
        let claims = Lock<[JSONObject]>([])
    }

    init(
        network: any HTTPTransport,
        clientID: String,
        clientSecret: String?,
        clock: TestClock,
        device: DeviceClock? = nil,
        limits: SSAFYHandoff.Limits = .init(),
        appGuard: NativeAppGuard? = nil,
        store: MemoryServerStore = MemoryServerStore(),
        maximumAge: Duration? = nil,
        disclosing details: Set<SSAFYMember.Detail> = [],
        refusing code: VerificationErrorCode? = nil
    ) throws {
        let verified = Verified()
        self.verified = verified
        self.store = store
        handoff = try SSAFYHandoff(
            SSAFYServerConfiguration(
                clientID: clientID,
                clientSecret: clientSecret.map(Secret.init),
                redirectURIs: [SSAFYWorld.callback, SSAFYWorld.deepLink, "http://127.0.0.1/ssafy/callback"],
                issuer: SSAFYWorld.issuer,
                maximumAge: maximumAge
            ),
            store: store,
            sealing: SealingKeys(.random()),
            appGuard: appGuard ?? NativeAppGuard(clock: clock.device),
            limits: limits,
            transport: network,
            clock: device ?? clock.device,
            disclosing: details,
            admitting: { identity in
                verified.claims.withLock { $0.append(identity.claims) }
                return code
            }
        )
    }

    /// The requests of the app.
    var requests: [EndpointRequest] { seen.withLock { $0 } }
    /// The claims of every token that passed.
    var verifiedClaims: [JSONObject] { verified.claims.withLock { $0 } }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        guard request.url == Self.endpoint else { throw .unreachable }
        seen.withLock { $0.append(request) }
        let response = await handoff.respond(
            to: ServerRequest(
                method: request.method,
                target: "/api/ssafy/verify",
                fields: request.allFields,
                body: request.body ?? [],
                sender: "192.0.2.1"
            )
        )
        return EndpointResponse(status: response.status, fields: response.fields, body: response.body)
    }
}
