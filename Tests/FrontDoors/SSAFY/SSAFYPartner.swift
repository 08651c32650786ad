import Foundation
import HTTPTypes
import Ostiary
import OstiarySSAFY
import OstiaryTesting
import Synchronization

/// A partner's backend: takes the app's JSON, redeems the code, validates the verification token, and answers with the
/// minimal result.
final class SSAFYPartner: HTTPTransport {
    static let endpoint = URL(string: "https://partner.example.com/api/ssafy/verify")!

    private let network: any HTTPTransport
    private let clientID: String
    private let clientSecret: String?
    private let clock: TestClock
    private let seen = Mutex<[EndpointRequest]>([])
    private let tokens = Mutex<[JSONObject]>([])

    init(network: any HTTPTransport, clientID: String, clientSecret: String?, clock: TestClock) {
        self.network = network
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.clock = clock
    }

    /// What the app sent.
    var requests: [EndpointRequest] { seen.withLock { $0 } }
    /// The claims of every token that passed.
    var verifiedClaims: [JSONObject] { tokens.withLock { $0 } }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        guard request.url == Self.endpoint else { throw .unreachable }
        seen.withLock { $0.append(request) }
        do throws(VerificationError) {
            guard request.method == .post, request.content?.mediaType == "application/json" else {
                throw VerificationError(.refused, code: .invalidRequest)
            }
            let exchange = try VerificationExchangeRequest(parsing: request.body ?? [])
            guard exchange.issuer.description == SSAFYWorld.issuer else {
                throw VerificationError(.refused, code: .callbackIssuerMismatch)
            }
            let registered = [SSAFYWorld.callback, SSAFYWorld.deepLink]
            guard
                registered.contains(exchange.redirectURI.description)
                    || exchange.redirectURI.description.hasPrefix("http://127.0.0.1:")
            else { throw VerificationError(.refused, code: .redirectURIMismatch) }
            let claims = try await validate(try await redeem(exchange))
            tokens.withLock { $0.append(claims) }
            let result = VerificationResult(
                subject: claims["sub"]?.string ?? "",
                cohort: claims["ssafy_cohort"]?.string,
                campus: claims["ssafy_campus"]?.string,
                authenticated: Date(timeIntervalSince1970: claims["auth_time"]?.number ?? 0)
            )
            return answer(200, result.body)
        } catch {
            let refusal = VerificationRefusal(code: error.code, requestID: error.requestID)
            return answer(refusal.status, refusal.body)
        }
    }

    private func answer(_ status: Int, _ body: [UInt8]) -> EndpointResponse {
        EndpointResponse(
            status: .init(code: status),
            fields: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
            body: body
        )
    }

    /// Trades the code at `/verify/token`.
    private func redeem(_ exchange: VerificationExchangeRequest) async throws(VerificationError) -> String {
        var form = Parameters([
            .grantType: "verification_code", .clientID: clientID, .code: exchange.code.reveal(),
            .codeVerifier: exchange.codeVerifier.reveal(),
        ])
        form[.clientSecret] = clientSecret
        let request = EndpointRequest(
            url: URL(string: SSAFYWorld.issuer + "/verify/token")!,
            method: .post,
            fields: [.cacheControl: "no-store"],
            form: form
        )
        guard let response = try? await network.send(request), let object = try? JSONObject(parsing: response.body)
        else {
            throw VerificationError(.unavailable, code: .tokenFailed)
        }
        guard response.status == .ok, let token = object["verification_token"]?.string else {
            let error = object["error"]?.object
            throw VerificationError(
                .refused,
                code: error?["code"]?.string.flatMap(VerificationErrorCode.init) ?? .tokenFailed,
                requestID: error?["request_id"]?.string.flatMap(VerificationRequestID.init)
            )
        }
        return token
    }

    /// Validates what the token says: signature, issuer, audience, times, client, subject, and how the person proved it.
    private func validate(_ compact: String) async throws(VerificationError) -> JSONObject {
        let invalid = VerificationError(.tokenInvalid, code: .tokenInvalid)
        let keys = EndpointRequest(url: URL(string: SSAFYWorld.issuer + "/verify/jwks")!)
        guard let answer = try? await network.send(keys), let keySet = try? JSONWebKeySet(parsing: answer.body),
            let token = try? UnverifiedJWT(compact),
            let claims = try? token.verified(by: keySet, algorithms: [.rs256, .es256]).claims
        else { throw invalid }
        let now = clock.now.timeIntervalSince1970
        let audience = claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.array?.compactMap(\.string) ?? []
        guard claims["iss"]?.string == SSAFYWorld.issuer, audience.contains(clientID),
            claims["client_id"]?.string == clientID, claims["sub"]?.string?.isEmpty == false,
            claims["verified"] == true, let expiry = claims["exp"]?.number, expiry > now - 60,
            let issued = claims["iat"]?.number, issued < now + 60, claims["auth_time"]?.number != nil,
            claims["amr"]?.array?.contains("mattermost_dm") == true,
            claims["acr"]?.string == "urn:ssafy:verify:assurance:mattermost-team-dm:v1"
        else { throw invalid }
        return claims
    }
}
