import Foundation
import Ostiary

/// Ratios, each measured side by side in one run.
@main
enum Benchmarks {
    static func main() async throws {
        try await codeBase64URL()
        try await verifyTokens()
        try await readResponses()
        try await guardRoutes()
        try await encodeForm()
        try await readTokens()
        try await refreshTokens()
        try await signOut()
    }

    static func encodeForm() async throws {
        let parameters: Parameters = [
            "grant_type": "authorization_code", "code": "SplxlOBeZQQYbYS6WxSbIA",
            "redirect_uri": "https://client.example.com/cb",
            "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "client_id": "s6BhdRkqt3",
        ]
        Measurement.show(
            "Write a token request's form",
            try await Measurement.compare(
                iterations: 5000,
                [
                    (
                        "URLComponents (leaves + and / as they are)",
                        {
                            var components = URLComponents()
                            components.queryItems = parameters.pairs.map {
                                URLQueryItem(name: $0.name.rawValue, value: $0.value)
                            }
                            precondition(components.percentEncodedQuery != nil)
                        }
                    ),
                    ("ostiary", { precondition(!FormURLEncoding.encode(parameters).isEmpty) }),
                ]
            )
        )
    }
}
