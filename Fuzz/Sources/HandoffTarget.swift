import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiarySSAFY
import OstiarySSAFYServer
import OstiaryServer

extension FuzzTarget {
    /// The handoff of codes to a partner's backend: what an app sends, which the contract has strict, and what SSAFY Verify answers.
    static let handoff = FuzzTarget(name: "handoff") { bytes in
        demandStrict(bytes)
        demandAnswer(toBody: bytes)
        for status in [200, 401, 429, 503] { demandAnswer(whenServiceSays: bytes, status) }
    }

    /// Demands that a handoff has the four members of the contract, each of its form, and is written as it was read.
    private static func demandStrict(_ bytes: [UInt8]) {
        guard let request = try? VerificationExchangeRequest(parsing: bytes) else { return }
        demandDiscreet(request)
        demand((16...256).contains(request.code.reveal().utf8.count), "a code has its length")
        demand((43...128).contains(request.codeVerifier.reveal().utf8.count), "a verifier has its length")
        demand(request.redirectURI.description.count <= 2000, "a redirect URI has its length")
        let object = try? JSONObject(parsing: bytes)
        demand(object?.count == 4, "there are four members")
        demand(object?["code"]?.string == request.code.reveal(), "the code is the one that was sent")
        demand(object?["iss"]?.string == request.issuer.description, "the issuer is the one that was sent")
        demand((try? VerificationExchangeRequest(parsing: request.body)) == request, "what is written is read alike")
    }

    private static func demandAnswer(toBody bytes: [UInt8]) {
        let place = handoff(KeysAlone())
        guard bytes.count <= place.maximumBodyBytes else { return }
        let answer = answered(ask(bytes), by: place)
        demandContract(answer, [400, 502])
        demand(!String(decoding: answer.body, as: UTF8.self).contains(secretWord), "no secret is answered")
        let isRead = (try? VerificationExchangeRequest(parsing: bytes)) != nil
        demand(isRead || answer.status == .badRequest, "only what can be read goes on")
    }

    private static func demandAnswer(whenServiceSays bytes: [UInt8], _ status: Int) {
        let service = Service(status: status, body: bytes)
        let answer = answered(ask(goodBody), by: handoff(service))
        demandContract(answer, status == 200 ? [200, 401, 502] : [status, 502])
        // Who is verified was signed by the service's key.
        demand(answer.status != .ok || bytes.contains(UInt8(ascii: ".")), "no user is verified without a token")
    }

    /// An answer of the contract: a verified user, or a code of the contract's form.
    private static func demandContract(_ answer: ServerResponse, _ statuses: Set<Int>) {
        demand(statuses.contains(answer.status.code), "\(answer.status.code) is an answer of the handoff")
        demand(answer.body.count <= 16_384, "an answer is short")
        demandDiscreet(answer)
        if answer.status == .ok {
            demand((try? VerificationResult(parsing: answer.body)) != nil, "a result can be read")
        } else {
            demand(VerificationRefusal(parsing: answer.body)?.code != nil, "a refusal has a code")
        }
    }

    private static func ask(_ body: [UInt8]) -> ServerRequest {
        ServerRequest(
            method: .post,
            target: "/ssafy/verify",
            fields: [.contentType: "application/json"],
            body: body
        )
    }

    private static let goodBody: [UInt8] =
        ([
            "code": "0123456789abcdef", "codeVerifier": .string(String(repeating: "v", count: 43)),
            "redirectUri": "https://app.example/callback", "iss": .string(World.issuerText),
        ] as JSONObject)
        .encoded()

    private static func handoff(_ transport: any HTTPTransport) -> SSAFYHandoff {
        made {
            try SSAFYHandoff(
                SSAFYServerConfiguration(
                    clientID: "app",
                    redirectURIs: ["https://app.example/callback", "http://127.0.0.1/callback"],
                    issuer: World.issuerText,
                    algorithms: [.edDSA]
                ),
                store: MemoryServerStore(),
                sealing: SealingKeys(try .init(id: "1", bytes: Array(repeating: 7, count: 32))),
                keys: keys,
                transport: transport,
                clock: DeviceClock(now: { World.now }, uptime: { 0 }, sleep: { _ in })
            )
        }
    }

    /// The service, which answers every code alike.
    private struct Service: HTTPTransport {
        let status: Int
        let body: [UInt8]

        func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
            EndpointResponse(
                status: .init(code: status),
                fields: [.contentType: "application/json"],
                body: body
            )
        }
    }
}
