import Foundation
import OstiaryOAuth

extension FuzzTarget {
    /// A redirect URI or an issuer: the policy looks at the text, everything else uses the URL that is made of it.
    static let uri = FuzzTarget(name: "uri") { bytes in
        let value = text(bytes)
        do throws(SignInError) {
            let issuer = try Issuer(value)
            demand(issuer.description.utf8.elementsEqual(value.utf8), "an issuer is kept as it was written")
            demandSafe(issuer.url)
            demandSame(issuer.url, value)
            demand(
                issuer.url.query() == nil && issuer.url.user() == nil,
                "an issuer has no query and no user: \(value)"
            )
            for form in ServerMetadataRequest.Form.allCases {
                guard let url = ServerMetadataRequest(issuer, form: form).url else { continue }
                demandSafe(url)
                demand(
                    url.host() == issuer.url.host() && url.port == issuer.url.port,
                    "the document is the issuer's: \(value)"
                )
            }
        } catch {
            demandDiscreet(error)
        }
        do throws(SignInError) {
            let redirectURI = try RedirectURI(value)
            demand(redirectURI.description.utf8.elementsEqual(value.utf8), "a redirect URI is kept as it was written")
            demandSame(redirectURI.url, value)
            demand(redirectURI.url.fragment() == nil && redirectURI.url.user() == nil, "no fragment, no user: \(value)")
            if redirectURI.isLoopback { demandSafe(redirectURI.url) }
            if let moved = redirectURI.withPort(50_000) {
                demand(
                    moved.port == 50_000 && moved.parts.path.hasPrefix(redirectURI.parts.path),
                    "only the port moves: \(value)"
                )
            }
        } catch {
            demandDiscreet(error)
        }
    }

    /// Demands that the URL and the text name one place.
    private static func demandSame(_ url: URL, _ text: String) {
        guard let parts = URIParts(text) else { return demand(false, "what was accepted can be read: \(text)") }
        demand(url.scheme?.lowercased() == parts.scheme, "one scheme: \(text)")
        let host = url.host(percentEncoded: false)?.lowercased() ?? ""
        let expected = parts.authority?.host ?? ""
        demand(host == expected || "[\(host)]" == expected, "one host: \(text): \(host)")
        demand(url.port == parts.authority?.port.flatMap(Int.init), "one port: \(text)")
    }
}
