import OstiaryJOSE
import OstiaryOAuth
import Testing

@Suite("What an access token is asked for")
struct AccessTokenTargetTests {
    private let api = try! ResourceIndicator("https://api.example.com")

    @Test("The order of parameters with different names does not matter, that of one name's values does")
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

    @Test("No resource and no parameter is the sign-in itself")
    func signIn() throws {
        #expect(AccessTokenTarget(nil) == .signIn && AccessTokenTarget.signIn.isSignIn)
        #expect(try AccessTokenTarget(parameters: [:]) == .signIn)
        #expect(!AccessTokenTarget(api).isSignIn)
    }

    @Test("Two spellings of one character are two targets")
    func spellings() throws {
        let composed = try AccessTokenTarget(parameters: ["tenant": "\u{E9}"])
        let decomposed = try AccessTokenTarget(parameters: ["tenant": "e\u{301}"])
        #expect(composed != decomposed && Set([composed, decomposed]).count == 2)
    }

    @Test("A value that holds another parameter is not taken for it")
    func injection() throws {
        #expect(
            try AccessTokenTarget(parameters: ["a": "1&b=2"]) != AccessTokenTarget(parameters: ["a": "1", "b": "2"])
        )
    }

    @Test(
        "Parameters that the request sets itself are refused",
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

    @Test("So are too many and too long ones")
    func bounds() {
        var many = Parameters()
        for number in 0..<33 { many.append("x", for: .init(rawValue: "p\(number)")) }
        #expect(throws: SignInError.self) { try AccessTokenTarget(parameters: many) }
        let long = String(repeating: "x", count: 8_192)
        #expect(throws: SignInError.self) { try AccessTokenTarget(parameters: ["a": long]) }
    }

    @Test("Tokens that were stored by resource are read, and stored so that they could be read before")
    func stored() throws {
        var object = try Fixtures.signIn().stored()
        object["resources"] = ["https://api.example.com": ["access_token": "for-api", "scope": "read"]]
        let tokens = try TokenSet(stored: object)
        #expect(tokens.access(for: api)?.value == Secret("for-api"))
        #expect(try tokens.stored() == object)
    }

    @Test(
        "A stored target that cannot be read makes the stored session a damaged one",
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

    @Test("An exchange takes a server's own parameters, and none that it sets itself")
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
