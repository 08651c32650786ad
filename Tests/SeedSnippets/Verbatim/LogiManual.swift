// Apart from every import of Testing, which has an overlay for UIKit that the stand-in lacks.
#if canImport(UIKit)
    import AuthenticationServices
    import CryptoKit
    import Foundation
    import UIKit

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// Logi's "Manual integration (without the SDK)", word for word, in a room of its own: what it calls `URLSession` is the
    /// provider of this process, and the error that it names without saying what it is has a meaning.
    enum LogiManual {
        enum AuthError: Error, Equatable { case userCancelled }

        /// Requests go where the test says.
        struct URLSession: Sendable {
            @MainActor static var shared = URLSession { _ in throw URLError(.cannotConnectToHost) }
            let send: @Sendable (URLRequest) async throws -> Data
            func data(for request: URLRequest) async throws -> (Data, Void) { (try await send(request), ()) }
        }

        final class LogiOAuth: NSObject, ASWebAuthenticationPresentationContextProviding {
            static let shared = LogiOAuth()
            let base = "https://api.1pass.dev"
            let clientId = "logi_..."
            let redirectScheme = "com.example.myapp"

            func signIn() async throws -> (accessToken: String, refreshToken: String) {
                let verifier = Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64URL
                let challenge = Data(SHA256.hash(data: Data(verifier.utf8))).base64URL
                let state = UUID().uuidString

                var comps = URLComponents(string: "\(base)/oauth/authorize")!
                comps.queryItems = [
                    .init(name: "client_id", value: clientId),
                    .init(name: "redirect_uri", value: "\(redirectScheme)://callback"),
                    .init(name: "response_type", value: "code"),
                    .init(name: "scope", value: "openid profile:basic email"),
                    .init(name: "state", value: state),
                    .init(name: "code_challenge", value: challenge),
                    .init(name: "code_challenge_method", value: "S256"),
                ]

                let callback = try await withCheckedThrowingContinuation { (cont: CheckedContinuation<URL, Error>) in
                    let session = ASWebAuthenticationSession(url: comps.url!, callbackURLScheme: redirectScheme) {
                        url,
                        err in
                        if let url {
                            cont.resume(returning: url)
                        } else if let nserr = err as NSError?,
                            nserr.domain == ASWebAuthenticationSessionError.errorDomain,
                            nserr.code == ASWebAuthenticationSessionError.canceledLogin.rawValue
                        {
                            cont.resume(throwing: AuthError.userCancelled)
                        } else {
                            cont.resume(throwing: err ?? AuthError.userCancelled)
                        }
                    }
                    session.presentationContextProvider = self
                    session.prefersEphemeralWebBrowserSession = true
                    session.start()
                }

                let items = URLComponents(url: callback, resolvingAgainstBaseURL: false)?.queryItems ?? []
                guard items.first(where: { $0.name == "state" })?.value == state,
                    let code = items.first(where: { $0.name == "code" })?.value
                else { throw URLError(.badServerResponse) }

                var tokenReq = URLRequest(url: URL(string: "\(base)/oauth/token")!)
                tokenReq.httpMethod = "POST"
                tokenReq.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
                tokenReq.httpBody = [
                    "grant_type=authorization_code",
                    "code=\(code)",
                    "redirect_uri=\(redirectScheme)://callback",
                    "code_verifier=\(verifier)",
                    "client_id=\(clientId)",
                ].joined(separator: "&").data(using: .utf8)

                let (data, _) = try await URLSession.shared.data(for: tokenReq)
                struct Resp: Decodable { let access_token: String; let refresh_token: String }
                let r = try JSONDecoder().decode(Resp.self, from: data)
                return (r.access_token, r.refresh_token)
            }

            func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor {
                UIApplication.shared.connectedScenes
                    .compactMap { ($0 as? UIWindowScene)?.windows.first }.first ?? ASPresentationAnchor()
            }
        }
    }

    extension Data {
        var base64URL: String {
            base64EncodedString().replacingOccurrences(of: "+", with: "-")
                .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
        }
    }
#endif
