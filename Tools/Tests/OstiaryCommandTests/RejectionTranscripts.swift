import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

@testable import OstiaryCommand

@Suite("An issuer that rejects the sign-in request in the browser", .fewAtOnce)
struct RejectionTranscripts {
    /// A sign-in with a browser that shows the issuer's page and never comes back.
    private func login(_ provider: TestProvider, _ more: String...) -> (tool: CommandLineTool, arguments: [String]) {
        var tool = provider.tool
        tool.environment["BROWSER"] = "true"
        return (tool, ["login", "--issuer", provider.issuer, "--client-id", "unknown-app"] + more)
    }

    @Test("The issuer's page is quoted while the command waits, with the client and the redirect URI to check")
    func reported() async throws {
        try await TestProvider.running { provider in
            let (tool, arguments) = login(provider, "--par", "never")
            let transcript = try await tool.run(arguments) { line in
                line.hasPrefix("If the browser shows this as well") ? .interrupt : .none
            }
            #expect(transcript.status == 5)
            #expect(transcript.error.contains("\nThe issuer answers this sign-in request with status 400: \""))
            #expect(transcript.error.contains("There is no client with this client_id."))
            #expect(
                transcript.error.contains(
                    "stop with Ctrl-C: no answer can come. Check that the client unknown-app has the redirect URI "
                        + "http://127.0.0.1/callback at \(provider.issuer)."
                )
            )
        }
    }

    @Test("A sign-in that times out repeats the issuer's rejection, which the browser may not have had")
    func timedOut() async throws {
        try await TestProvider.running { provider in
            let (tool, arguments) = login(provider, "--par", "never", "--timeout", "6")
            let transcript = try await tool.run(arguments) { _ in .none }
            #expect(transcript.status == 9)
            #expect(
                transcript.error.contains(
                    "Timed out waiting for the browser to come back. "
                        + "The issuer answers this sign-in request with status 400: \""
                )
            )
            #expect(
                transcript.error.contains(
                    "\n  If the browser shows an error of the issuer, check that the client unknown-app has the "
                        + "redirect URI "
                )
            )
        }
    }

    @Test("An unknown client whose request is pushed is refused before a browser opens")
    func pushed() async throws {
        try await TestProvider.running { provider in
            let (tool, arguments) = login(provider, "--par", "always")
            let transcript = try await tool.run(arguments)
            #expect(transcript.status == 3 && transcript.error.contains("invalid_client"))
            #expect(!transcript.error.contains("Opening the browser"))
        }
    }

    @Test("The check asks as the request does, without the user, for no page")
    func request() throws {
        let url = try #require(
            URL(
                string:
                    "https://id.example.com/a?client_id=app&response_type=code&login_hint=alice&prompt=login&state=s"
                    + "&id_token_hint=t"
            )
        )
        let check = try #require(RejectionCheck(of: url))
        #expect(
            check.url.absoluteString
                == "https://id.example.com/a?client_id=app&response_type=code&state=s&prompt=none"
        )
    }

    @Test(
        "A pushed request, a sign-out and a page without a query are not checked",
        arguments: [
            "https://id.example.com/a?client_id=app&response_type=code&request_uri=urn:x",
            "https://id.example.com/a?client_id=app&request_uri=urn:x",
            "https://id.example.com/end?client_id=app&post_logout_redirect_uri=http://127.0.0.1/",
            "https://id.example.com/a",
        ]
    )
    func unchecked(url: String) throws {
        #expect(RejectionCheck(of: try #require(URL(string: url))) == nil)
    }

    @Test(
        "Only a status from 400 to 499 is a rejection, except those of proxies, firewalls and limits of the rate",
        arguments: [
            (200, false), (302, false), (399, false), (400, true), (401, false), (402, true), (403, false), (404, true),
            (407, false), (429, false), (499, true), (500, false), (503, false),
        ]
    )
    func status(code: Int, isRejection: Bool) {
        let response = EndpointResponse(status: .init(code: code))
        #expect((RejectionCheck.rejection(in: response) != nil) == isRejection)
    }

    @Test("A rejection without a page gives the status alone")
    func withoutPage() {
        let response = EndpointResponse(status: .badRequest, fields: [.contentType: "application/json"], body: [])
        #expect(
            RejectionCheck.rejection(in: response) == "The issuer answers this sign-in request with status 400."
        )
    }
}
