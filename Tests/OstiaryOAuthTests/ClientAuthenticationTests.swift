import Foundation
import HTTPTypes
import OstiaryOAuth
import Testing

@Suite("Client authentication")
struct ClientAuthenticationTests {
    private func request(_ authentication: ClientAuthentication, id: String = "app") throws -> EndpointRequest {
        let client = Fixtures.client(id: id, authentication: authentication)
        return try Fixtures.grant(try Fixtures.pending(client: client)).exchange().request()
    }

    @Test("A public client sends its id, and no secret")
    func none() throws {
        let request = try request(.none)
        #expect(request.form[.clientID] == "app")
        #expect(request.form[.clientSecret] == nil)
        #expect(request.fields[.authorization] == nil)
    }

    @Test(
        "client_secret_basic form-encodes id and secret before joining them",
        arguments: ["s", "a:b", "100%", "a b+c&d=e/f~", ")#=%!$@^*", "ü"]
    )
    func basic(_ secret: String) throws {
        let request = try request(.clientSecretBasic(Secret(secret)), id: "id:with space")
        let field = try #require(request.fields[.authorization])
        let pair = String(decoding: try #require(Data(base64Encoded: String(field.dropFirst(6)))), as: UTF8.self)
        let halves = pair.split(separator: ":")
        #expect(field.hasPrefix("Basic "))
        #expect(halves.count == 2)
        #expect(FormURLEncoding.unescape(halves[0]) == "id:with space")
        #expect(FormURLEncoding.unescape(halves[1]) == secret)
        #expect(request.form[.clientID] == nil && request.form[.clientSecret] == nil)
    }

    @Test("client_secret_post sends id and secret in the form, and no Authorization field")
    func post() throws {
        let request = try request(.clientSecretPost(Secret("p+q &=")))
        #expect(request.form[.clientID] == "app")
        #expect(request.form[.clientSecret] == "p+q &=")
        #expect(request.fields[.authorization] == nil)
        #expect(String(decoding: request.body ?? [], as: UTF8.self).hasSuffix("client_secret=p%2Bq%20%26%3D"))
    }

    @Test("Refresh and revocation authenticate in the same way")
    func everywhere() throws {
        let client = Fixtures.client(authentication: .clientSecretPost(Secret("s")))
        let tokens = try Fixtures.signIn(client: client)
        #expect(
            try TokenRequest(try RefreshGrant(tokens), client: client, server: Fixtures.server).request().form[
                .clientSecret
            ] == "s"
        )
        #expect(
            try RevocationRequest(tokens.accessToken, kind: .accessToken, client: client, server: Fixtures.server)
                .request()
                .form[.clientSecret] == "s"
        )
    }

    @Test("Printing a method shows its name only")
    func redacted() {
        var shown = "\(ClientAuthentication.clientSecretPost(Secret("hush")))"
        dump(ClientAuthentication.clientSecretBasic(Secret("hush")), to: &shown)
        dump(Fixtures.client(authentication: .clientSecretPost(Secret("hush"))), to: &shown)
        #expect(!shown.contains("hush"))
    }

    @Test("A client id is not empty and has no control characters", arguments: ["", "a\nb", "\u{7F}"])
    func clientID(_ id: String) {
        let error = signInError { _ = try Client(id: id, redirectURI: try RedirectURI("com.example.app:/callback")) }
        #expect(error?.recovery == .fixConfiguration)
    }

    @Test("A client id keeps every printable character, also a space at its end")
    func oddClientID() throws {
        let odd = "a&b=c%d+e "
        let form = try request(.none, id: odd).form
        #expect(form[.clientID] == odd)
        #expect(FormURLEncoding.decode(FormURLEncoding.encode(form))?[.clientID] == odd)
    }
}
