import OstiaryJOSE
import OstiaryOAuth
import Testing

@Suite("The target of an access token request")
struct AccessTokenTargetTests {
    private let api = try! ResourceIndicator("https://api.example.com")

    @Test("A target ignores the order of different parameters, and keeps the order of one parameter's values")
    func order() throws {
        #expect(
            try AccessTokenTarget(parameters: ["a": "1", "b": "2"])
                == AccessTokenTarget(parameters: ["b": "2", "a": "1"])
        )
        #expect(
            try AccessTokenTarget(parameters: ["a": "1", "a": "2"])
                != AccessTokenTarget(parameters: ["a": "2", "a": "1"])
        )
    }

    @Test("A target without a resource and parameters is that of the sign-in")
    func signIn() throws {
        #expect(AccessTokenTarget(nil) == .signIn && AccessTokenTarget.signIn.isSignIn)
        #expect(try AccessTokenTarget(parameters: [:]) == .signIn)
        #expect(!AccessTokenTarget(api).isSignIn)
    }

    @Test("Two Unicode spellings of one character make two targets")
    func spellings() throws {
        let composed = try AccessTokenTarget(parameters: ["tenant": "\u{E9}"])
        let decomposed = try AccessTokenTarget(parameters: ["tenant": "e\u{301}"])
        #expect(composed != decomposed && Set([composed, decomposed]).count == 2)
    }

    @Test("A parameter value that contains another parameter makes a different target")
    func injection() throws {
        #expect(
            try AccessTokenTarget(parameters: ["a": "1&b=2"]) != AccessTokenTarget(parameters: ["a": "1", "b": "2"])
        )
    }

    @Test(
        "A target with a parameter that the request sets itself is refused",
        arguments: [
            "grant_type", "refresh_token", "resource", "scope", "client_id", "client_secret", "client_assertion",
            "client_assertion_type",
        ]
    )
    func ownParameters(name: String) {
        let error = SignInError(
            .refresh,
            .configuration("\(name) is set by the request itself and cannot be an additional parameter.")
        )
        #expect(throws: error) { try AccessTokenTarget(parameters: [.init(rawValue: name): "x"]) }
    }

    @Test("A target with over 32 parameters or 8,192 bytes is refused")
    func bounds() {
        var many = Parameters()
        for number in 0..<33 { many.append("x", for: .init(rawValue: "p\(number)")) }
        #expect(throws: SignInError.self) { try AccessTokenTarget(parameters: many) }
        let long = String(repeating: "x", count: 8_192)
        #expect(throws: SignInError.self) { try AccessTokenTarget(parameters: ["a": long]) }
    }

    @Test("Tokens stored by resource are read, and stored in the same form")
    func stored() throws {
        var object = try Fixtures.signIn().stored()
        object["resources"] = ["https://api.example.com": ["access_token": "for-api", "scope": "read"]]
        let tokens = try TokenSet(stored: object)
        #expect(tokens.access(for: api)?.value == Secret("for-api"))
        #expect(try tokens.stored() == object)
    }

    @Test(
        "A stored target that cannot be read makes the stored session corrupted",
        arguments: [
            ["access_token": "t", "scope": "", "parameters": [["only-a-name"]]],
            ["access_token": "t", "scope": "", "parameters": [["grant_type", "x"]]],
            ["access_token": "t", "scope": "", "resource": "no uri"],
            ["scope": "", "parameters": [["a", "b"]]],
        ] as [JSONObject]
    )
    func damaged(target: JSONObject) throws {
        var object = try Fixtures.signIn().stored()
        object["targets"] = .array([.object(target)])
        #expect(signInError { _ = try TokenSet(stored: object) } == SignInError(.storage, .storage(.corrupted)))
    }

    @Test("A token exchange accepts a server's own parameters, and refuses those it sets itself")
    func exchange() throws {
        let subject = TokenExchangeGrant.Token(Secret("subject"), .accessToken)
        let grant = try TokenExchangeGrant(
            of: subject,
            for: Fixtures.client(),
            additionalParameters: ["tenant": "north"]
        )
        #expect(grant.parameters["tenant"] == "north")
        let error = SignInError(
            .token,
            .configuration("scope is set by the request itself and cannot be an additional parameter.")
        )
        #expect(
            signInError {
                _ = try TokenExchangeGrant(of: subject, for: Fixtures.client(), additionalParameters: ["scope": "all"])
            } == error
        )
    }
}
