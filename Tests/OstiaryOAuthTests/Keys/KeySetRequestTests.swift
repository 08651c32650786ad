import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import Testing

@Suite("Reading a key set")
struct KeySetRequestTests {
    private static let body = Array(#"{"keys":[]}"#.utf8)

    private func answer(_ fields: HTTPFields = [:]) throws -> KeySetRequest.Answer {
        var fields = fields
        fields[.contentType] = "application/json"
        return try KeySetRequest(Fixtures.server).output(from: EndpointResponse(fields: fields, body: Self.body))
    }

    private func failure(_ response: EndpointResponse, entityTag: String? = nil) -> SignInError? {
        signInError { _ = try KeySetRequest(Fixtures.server, entityTag: entityTag).output(from: response) }
    }

    @Test("A key set request has its limits, and sends the cached entity tag")
    func request() throws {
        let request = try KeySetRequest(Fixtures.server, entityTag: #"W/"7""#).request()
        #expect(request.limits.maximumBodyBytes == 131_072 && request.limits.deadline == .seconds(5))
        #expect(request.fields[.accept] == "application/jwk-set+json, application/json")
        #expect(request.fields[.ifNoneMatch] == #"W/"7""#)
        #expect(try KeySetRequest(Fixtures.server).request().fields[.ifNoneMatch] == nil)
    }

    @Test("Only a response 200 with the media type of JSON is a key set")
    func form() {
        #expect(failure(EndpointResponse(fields: [.contentType: "application/jwk-set+json"], body: Self.body)) == nil)
        #expect(failure(EndpointResponse(fields: [.contentType: "application/json"], body: Self.body)) == nil)
        for type in ["text/plain", "application/jwt", "application/problem+json"] {
            #expect(
                failure(EndpointResponse(fields: [.contentType: type], body: Self.body))
                    == SignInError(.keys, .malformed("the media type is not application/json"))
            )
        }
        #expect(failure(EndpointResponse(status: .notFound)) == SignInError(.keys, .server(status: 404)))
        #expect(
            failure(EndpointResponse(fields: [.contentType: "application/json"], body: Array("{}".utf8)))
                == SignInError(.keys, .malformed("the key set"))
        )
    }

    @Test("A key set of more than a hundred keys is malformed")
    func tooManyKeys() {
        let body = Array(("{\"keys\":[" + Array(repeating: "{}", count: 101).joined(separator: ",") + "]}").utf8)
        #expect(
            failure(EndpointResponse(fields: [.contentType: "application/json"], body: body))
                == SignInError(.keys, .malformed("the key set"))
        )
    }

    @Test("A 304 response means unchanged when an entity tag was sent, and is a failure otherwise")
    func notModified() throws {
        let response = EndpointResponse(status: .notModified, fields: [.cacheControl: "max-age=900", .eTag: #""8""#])
        let answer = try KeySetRequest(Fixtures.server, entityTag: #""7""#).output(from: response)
        #expect(answer == KeySetRequest.Answer(.unchanged, validity: .lasting(.seconds(900)), entityTag: #""8""#))
        #expect(failure(response) == SignInError(.keys, .server(status: 304)))
    }

    @Test(
        "A key set's validity is max-age less the response's age",
        arguments: [
            ("max-age=900", nil, 900), ("public, Max-Age=900, must-revalidate", nil, 900),
            ("max-age=\"900\"", nil, 900),
            ("max-age=900", "100", 800), ("max-age=900", "1000", 0), ("max-age=900", "soon", 900),
            ("max-age=900, max-age=5", nil, 900), ("max-age=-1", nil, 0), ("max-age", nil, 0), ("max-age=", nil, 0),
            ("max-age=99999999999999999999", nil, 0), ("no-cache", nil, 0), ("no-store, max-age=900", nil, 0),
        ] as [(String, String?, Double)]
    )
    func cacheControl(_ control: String, _ age: String?, _ seconds: Double) throws {
        var fields: HTTPFields = [.cacheControl: control, .expires: "Fri, 15 Jan 2027 09:00:00 GMT"]
        fields[.age] = age
        #expect(try answer(fields).validity == .lasting(.seconds(seconds)))
    }

    @Test("Without max-age a key set is valid until Expires, by the issuer's own clock where Date gives it")
    func expires() throws {
        let end = "Fri, 15 Jan 2027 09:00:00 GMT"
        #expect(try answer([.expires: end]).validity == .until(Date(timeIntervalSince1970: 1_800_003_600)))
        #expect(try answer([.expires: end, .cacheControl: "public"]).validity != .unsaid)
        #expect(
            try answer([.expires: end, .date: "Fri, 15 Jan 2027 08:50:00 GMT"]).validity == .lasting(.seconds(600))
        )
        #expect(try answer([.expires: end, .date: "Fri, 15 Jan 2027 09:50:00 GMT"]).validity == .lasting(.zero))
        #expect(try answer().validity == .unsaid)
    }

    @Test(
        "An Expires field that is no date counts as past",
        arguments: [
            "0", "", "Fri, 15 Jan 2027 09:00:00 UTC", "Fri, 15 jan 2027 09:00:00 GMT", "Fri, 15 Jan 2027 24:00:00 GMT",
            "Fri, 15 Jan 2027 09:60:00 GMT", "Fri, 15 Jan 2027 09:00:61 GMT", "Fri, 00 Jan 2027 09:00:00 GMT",
            "Fri, +5 Jan 2027 09:00:00 GMT", "Friday, 15-Jan-27 09:00:00 GMT", "Fri Jan 15 09:00:00 2027",
        ]
    )
    func noDate(_ text: String) throws {
        #expect(try answer([.expires: text]).validity == .lasting(.zero))
    }

    @Test(
        "An Expires date is read in every month and year",
        arguments: [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799), ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
        ] as [(String, Double)]
    )
    func dates(_ text: String, _ time: Double) throws {
        #expect(try answer([.expires: text]).validity == .until(Date(timeIntervalSince1970: time)))
    }

    @Test(
        "A malformed entity tag is not kept",
        arguments: [#"7"#, #"""#, #"w/"7""#, #""a b""#, #""a"b""#, "\"\(String(repeating: "7", count: 255))\""]
    )
    func malformedTag(_ tag: String) throws { #expect(try answer([.eTag: tag]).entityTag == nil) }

    @Test("A valid entity tag is kept", arguments: [#""""#, #""7""#, #"W/"7""#])
    func entityTag(_ tag: String) throws { #expect(try answer([.eTag: tag]).entityTag == tag) }
}
