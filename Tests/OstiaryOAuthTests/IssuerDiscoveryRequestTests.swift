import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import Testing

@Suite("WebFinger discovery of a user's issuer")
struct IssuerDiscoveryRequestTests {
    private static let rel = "rel=http%3A%2F%2Fopenid.net%2Fspecs%2Fconnect%2F1.0%2Fissuer"

    @Test(
        "A user's identifier is normalized to a WebFinger resource and host",
        arguments: [
            ("alice@example.com", "example.com", "acct%3Aalice%40example.com"),
            ("acct:alice@Example.com", "example.com", "acct%3Aalice%40Example.com"),
            ("acct:a%40b.org@example.com", "example.com", "acct%3Aa%2540b.org%40example.com"),
            ("example.com", "example.com", "https%3A%2F%2Fexample.com%2F"),
            ("example.com:8080", "example.com:8080", "https%3A%2F%2Fexample.com%3A8080%2F"),
            ("example.com/alice", "example.com", "https%3A%2F%2Fexample.com%2Falice"),
            ("https://example.com/alice?a=b#c", "example.com", "https%3A%2F%2Fexample.com%2Falice%3Fa%3Db"),
        ]
    )
    func normalized(identifier: String, host: String, resource: String) throws {
        let url = try #require(try IssuerDiscoveryRequest(identifier).url)
        #expect(url.absoluteString == "https://\(host)/.well-known/webfinger?resource=\(resource)&\(Self.rel)")
    }

    @Test("WebFinger on this machine may be requested over http")
    func loopback() throws {
        let url = try IssuerDiscoveryRequest("http://127.0.0.1:4455/alice").url
        #expect(url?.absoluteString.hasPrefix("http://127.0.0.1:4455/.well-known/webfinger?") == true)
    }

    @Test(
        "A WebFinger identifier without a user or a host is refused",
        arguments: [
            "", "@", "alice@", "@example.com", "acct:alice", "acct:@example.com", "mailto:alice@example.com",
            "http://example.com/alice", "ftp://example.com", "https://", "ali ce@example.com",
            "alice@exa\u{FF0F}mple.com",
        ]
    )
    func refused(identifier: String) {
        #expect {
            _ = try IssuerDiscoveryRequest(identifier)
        } throws: { error in
            guard let error = error as? SignInError, case .configuration = error.reason else { return false }
            return error.stage == .discovery
        }
    }

    private func issuer(_ body: String, status: HTTPResponse.Status = .ok) throws(SignInError) -> Issuer {
        try IssuerDiscoveryRequest("alice@example.com").output(
            from: EndpointResponse(
                status: status,
                fields: [.contentType: "application/jrd+json"],
                body: Array(body.utf8)
            )
        )
    }

    @Test("The WebFinger link with the issuer relation names the issuer, and other links do not")
    func link() throws {
        let found = try issuer(
            """
            {"subject":"acct:alice@example.com","links":[
              {"rel":"http://webfinger.net/rel/avatar","href":"https://evil.example"},
              {"rel":"http://openid.net/specs/connect/1.0/issuer","href":"https://id.example.com/x"}]}
            """
        )
        #expect(found.description == "https://id.example.com/x")
    }

    @Test(
        "A WebFinger response without an issuer link is malformed",
        arguments: [
            "{}", #"{"links":[]}"#, #"{"links":[{"rel":"http://openid.net/specs/connect/1.0/issuer"}]}"#,
            #"{"links":[{"rel":"http://openid.net/specs/connect/1.0/issuer","href":"http://id.example.com"}]}"#,
            #"{"links":[{"rel":"http://openid.net/specs/connect/1.0/issuer","href":"https://id.example.com/?a"}]}"#,
        ]
    )
    func noLink(body: String) {
        #expect(throws: SignInError(.discovery, .malformed("the link to the issuer"))) { _ = try issuer(body) }
    }

    @Test("A WebFinger host that does not know the user fails with its status")
    func unknown() {
        #expect(throws: SignInError(.discovery, .server(status: 404))) { _ = try issuer("{}", status: .notFound) }
    }
}
