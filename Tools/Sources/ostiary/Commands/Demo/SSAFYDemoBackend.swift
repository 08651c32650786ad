import Foundation
import HTTPTypes
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiarySSAFY
import ProviderServer

/// A partner's backend, in the demo's own process: it redeems the code with its secret and checks the token.
struct SSAFYDemoBackend: VerificationBackend {
    static let clientID = "ssafy-partner"

    let stage: DemoStage

    func verify(_ request: VerificationExchangeRequest) async throws(VerificationError) -> VerificationResult {
        stage.narration.step("The app hands code, codeVerifier, redirectUri and iss to its backend.")
        guard request.issuer == stage.issuer else {
            throw VerificationError(.refused, code: .callbackIssuerMismatch)
        }
        let claims = try await checkedClaims(of: try await redeem(request))
        stage.narration.step("The backend has checked the token's signature, issuer, audience, times and assurance.")
        return VerificationResult(
            subject: claims["sub"]?.string ?? "",
            cohort: claims["ssafy_cohort"]?.string,
            campus: claims["ssafy_campus"]?.string,
            authenticated: Date(timeIntervalSince1970: claims["auth_time"]?.number ?? 0)
        )
    }

    /// Trades the code for a verification token.
    private func redeem(_ request: VerificationExchangeRequest) async throws(VerificationError) -> String {
        let form = Parameters([
            .grantType: "verification_code", .clientID: Self.clientID,
            .clientSecret: stage.development.backendSecret.reveal(), .code: request.code.reveal(),
            .codeVerifier: request.codeVerifier.reveal(),
        ])
        let object = try await answer(at: "/verify/token", form)
        guard let token = object["verification_token"]?.string else {
            let code = object["error"]?.object?["code"]?.string.flatMap(VerificationErrorCode.init)
            throw VerificationError(.refused, code: code ?? .tokenFailed)
        }
        return token
    }

    /// What the token says, once everything about it is right.
    private func checkedClaims(of compact: String) async throws(VerificationError) -> JSONObject {
        let keys = try await answer(at: "/verify/jwks", Parameters())
        let now = Date.now.timeIntervalSince1970
        guard let keySet = try? JSONWebKeySet(parsing: keys.encoded()), let token = try? UnverifiedJWT(compact),
            let claims = try? token.verified(by: keySet, algorithms: [.rs256, .es256]).claims,
            claims["iss"] == .string(stage.issuer.description), claims["aud"] == .string(Self.clientID),
            claims["client_id"] == .string(Self.clientID), claims["verified"] == true,
            claims["acr"] == "urn:ssafy:verify:assurance:mattermost-team-dm:v1",
            claims["amr"]?.array?.contains("mattermost_dm") == true,
            let expiry = claims["exp"]?.number, expiry > now, let issued = claims["iat"]?.number, issued < now + 60
        else { throw VerificationError(.tokenInvalid, code: .tokenInvalid) }
        return claims
    }

    private func answer(at path: String, _ form: Parameters) async throws(VerificationError) -> JSONObject {
        guard let url = URL(string: stage.issuer.description + path) else {
            throw VerificationError(.unavailable, code: .tokenFailed)
        }
        let isPost = !form.pairs.isEmpty
        let request = EndpointRequest(url: url, method: isPost ? .post : .get, form: form)
        guard let response = try? await commandTransport.send(request),
            let object = try? JSONObject(parsing: response.body)
        else { throw VerificationError(.unavailable, code: .tokenFailed) }
        return object
    }
}
