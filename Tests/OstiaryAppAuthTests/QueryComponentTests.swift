import Foundation
import OstiaryAppAuth
import Testing

/// The statements of AppAuth's `OIDURLQueryComponentTests`.
@Suite("AppAuth: query components")
struct QueryComponentTests {
    private let root = URL(string: "https://www.example.com/")!
    private let value = "Param+eter Va=l&u#e2"

    @Test("A query parameter has one, two or three values, in the order in which they were added")
    func adding() {
        let query = OIDURLQueryComponent()
        query.addParameter("name", value: "first")
        #expect(query.values(forParameter: "name") == ["first"])
        #expect(query.dictionaryValue["name"]?.isEqual(NSString(string: "first")) == true)
        query.addParameter("name", value: value)
        #expect(query.values(forParameter: "name") == ["first", value])
        query.addParameter("name", value: "first")
        #expect(query.values(forParameter: "name") == ["first", value, "first"])
        let all = NSArray(array: ["first", value, "first"].map { NSString(string: $0) })
        #expect(query.dictionaryValue["name"]?.isEqual(all) == true)
        #expect(query.parameters == ["name"] && query.values(forParameter: "other") == [])
    }

    @Test(
        "A space is a plus sign or %20 where a query is read, and the example of RFC 6749 appendix B is decoded",
        arguments: [
            ("https://e.com/a+https://e.com/b", "https://e.com/a https://e.com/b"),
            ("https://e.com/a%20https://e.com/b", "https://e.com/a https://e.com/b"),
            ("+%25%26%2B%C2%A3%E2%82%AC", " %&+£€"),
        ]
    )
    func decoding(encoded: String, decoded: String) throws {
        let url = try #require(URL(string: "com.example.app:/?state=s&code=4/W&scope=\(encoded)&authuser=0#"))
        let query = try #require(OIDURLQueryComponent(url: url))
        #expect(query.values(forParameter: "scope") == [decoded])
        #expect(query.parameters == ["state", "code", "scope", "authuser"])
        #expect(query.values(forParameter: "code") == ["4/W"])
    }

    @Test("A query is encoded with %20 for a space, and as RFC 6749 appendix B otherwise")
    func encoding() throws {
        let query = try #require(OIDURLQueryComponent(url: root))
        #expect(query.parameters.isEmpty && query.dictionaryValue.isEmpty)
        query.addParameter("scope", value: "openid profile")
        #expect(query.urlEncodedParameters() == "scope=openid%20profile")
        query.addParameter("other", value: " %&+£€")
        #expect(query.urlEncodedParameters() == "scope=openid%20profile&other=%20%25%26%2B%C2%A3%E2%82%AC")
        let url = query.urlByReplacingQuery(in: root)
        #expect(url.absoluteString == "https://www.example.com/?\(query.urlEncodedParameters())")
    }

    @Test("A URL takes the parameters in place of its query, and reading it gives them back")
    func replacing() throws {
        let parameters = ["one": "1", "two": value]
        let query = OIDURLQueryComponent()
        query.addParameters(parameters)
        let url = query.urlByReplacingQuery(in: try #require(URL(string: "https://www.example.com/p?old=1#end")))
        #expect(url.absoluteString == "https://www.example.com/p?one=1&two=Param%2Beter%20Va%3Dl%26u%23e2#end")
        let read = try #require(OIDURLQueryComponent(url: url))
        #expect(read.dictionaryValue.mapValues { "\($0)" } == parameters)
    }

    @Test("An authorization response is made of a redirect's parameters, and no value is printed")
    func response() throws {
        let url = try #require(URL(string: "com.example.app:/?state=s&code=secret-code"))
        let query = try #require(OIDURLQueryComponent(url: url))
        let response = OIDAuthorizationResponse(
            request: World.request(Values.configuration),
            parameters: query.dictionaryValue
        )
        #expect(response.authorizationCode == "secret-code" && response.state == "s")
        var dumped = ""
        dump(query, to: &dumped)
        #expect(!"\(query)\(dumped)".contains("secret-code"))
    }
}
