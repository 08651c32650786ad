import IssuerDoctor
import OstiaryJOSE
import Testing

/// A change of a good issuer that leaves it correct.
struct IssuerVariant: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let profiles: Set<IssuerProfile>
    let change: @Sendable (inout GoodIssuer) -> Void

    init(
        _ name: String,
        _ profiles: Set<IssuerProfile> = Set(IssuerProfile.allCases),
        _ change: @escaping @Sendable (inout GoodIssuer) -> Void
    ) {
        testDescription = name
        self.profiles = profiles
        self.change = change
    }

    static let all: [IssuerVariant] = places + grants + members + keys

    private static let places: [IssuerVariant] = [
        IssuerVariant("https on this machine") { issuer in
            issuer.issuer = "https://localhost:8443"
            issuer.metadata["issuer"] = "https://localhost:8443"
            for member in issuer.metadata.members where member.name.hasSuffix("_endpoint") || member.name == "jwks_uri"
            {
                issuer.metadata[member.name] = .string("https://localhost:8443/\(member.name)")
            }
        },
        IssuerVariant("an endpoint at a name that begins with 127") {
            $0.metadata["token_endpoint"] = "https://127.example.com/token"
        },
    ]

    private static let grants: [IssuerVariant] = [
        IssuerVariant("client credentials alone", [.rfc9700, .oauth21]) { issuer in
            issuer.openIDConnect = GoodIssuer.Response(status: 404)
            issuer.oauth = GoodIssuer.Response()
            for name in [
                "authorization_endpoint", "code_challenge_methods_supported", "end_session_endpoint",
                "authorization_response_iss_parameter_supported", "pushed_authorization_request_endpoint",
                "require_pushed_authorization_requests", "jwks_uri", "userinfo_endpoint",
            ] { issuer.oauthMetadata[name] = nil }
            issuer.oauthMetadata["grant_types_supported"] = ["client_credentials"]
            issuer.oauthMetadata["response_types_supported"] = []
        },
        IssuerVariant("the hybrid flow alone") { $0.metadata["response_types_supported"] = ["code id_token"] },
        IssuerVariant("ID tokens alone in the implicit flow") {
            $0.metadata["response_types_supported"] = ["code", "id_token"]
            $0.metadata["grant_types_supported"] = ["authorization_code", "refresh_token", "implicit"]
        },
        IssuerVariant("a device endpoint without a list of grants") {
            $0.metadata["device_authorization_endpoint"] = "https://id.example.com/device"
            $0.metadata["grant_types_supported"] = nil
        },
    ]

    private static let members: [IssuerVariant] = [
        IssuerVariant("objects of OpenID Federation and OpenID for Verifiable Presentations") {
            $0.metadata["request_authentication_methods_supported"] = ["authorization_endpoint": ["request_object"]]
            $0.metadata["vp_formats_supported"] = ["dc+sd-jwt": [:]]
        },
        IssuerVariant("signed metadata in both documents") {
            $0.oauth = GoodIssuer.Response()
            $0.metadata["signed_metadata"] = "a.b.c"
            $0.oauthMetadata["signed_metadata"] = "d.e.f"
        },
    ]

    private static let keys: [IssuerVariant] = [
        IssuerVariant("keys of two types with one kid") { $0.keys[1]["kid"] = "e1" },
        IssuerVariant("a key set as text/json") { $0.keySet.set("Content-Type", "text/json") },
        IssuerVariant("a key set without caching") { $0.keySet.set("Cache-Control", "no-store") },
    ]
}
