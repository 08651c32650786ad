import HTTPTypes
import OstiaryOAuth
import Testing

@Suite("The server's identifier of a failed request")
struct RequestIDTests {
    private func id(field: String?, body: String) -> String? {
        var fields: HTTPFields = [.contentType: "application/json"]
        if let name = HTTPField.Name("X-Request-Id") { fields[name] = field }
        let response = EndpointResponse(status: .badRequest, fields: fields, body: Array(body.utf8))
        return response.failure(at: .token).requestID
    }

    @Test("A request id is read from the header field, or else from the body")
    func places() {
        #expect(id(field: "req-1", body: #"{"error":"invalid_grant","request_id":"req-2"}"#) == "req-1")
        #expect(id(field: nil, body: #"{"error":"invalid_grant","request_id":"req-2"}"#) == "req-2")
        #expect(id(field: "req-1", body: "<html>") == "req-1")
        #expect(id(field: nil, body: #"{"error":"invalid_grant"}"#) == nil)
    }

    @Test(
        "A request id that is empty, long or not printable is dropped",
        arguments: ["", "a b", "é", String(repeating: "x", count: 101)]
    )
    func bounds(text: String) {
        #expect(id(field: nil, body: "{\"request_id\":\"\(text)\"}") == nil)
    }

    @Test("A second sign-in's error says to wait or to cancel")
    func alreadyInProgress() {
        let error = SignInError(.authorization, .alreadyInProgress)
        #expect(error.message == "Another sign-in is in progress: wait for it, or cancel it.")
        #expect(error.recovery == .retry)
    }
}
