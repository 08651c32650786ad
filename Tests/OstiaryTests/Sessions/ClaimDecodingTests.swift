import Foundation
import Ostiary
import OstiaryJOSE
import Testing

@Suite("Claims that are decoded into types of the app")
struct ClaimDecodingTests {
    private func object(_ text: String) throws -> JSONObject { try JSONObject(parsing: Array(text.utf8)) }

    private struct Claims: Decodable, Equatable {
        let sub: String
        let name: String?
        let updatedAt: Date?
        let groups: [String]?

        enum CodingKeys: String, CodingKey {
            case sub, name, groups
            case updatedAt = "updated_at"
        }
    }

    @Test("Claims are decoded into a type of the app, and a NumericDate into a date")
    func decoding() throws {
        let text = #"{"sub":"alice","name":"A\u00e9","updated_at":1311280970.5,"groups":["a"],"other":{"x":[1]}}"#
        let claims = try object(text).decode(Claims.self)
        let expected = Claims(
            sub: "alice",
            name: "Aé",
            updatedAt: Date(timeIntervalSince1970: 1_311_280_970.5),
            groups: ["a"]
        )
        #expect(claims == expected)
        let sparse: Claims = try object(#"{"sub":"bob"}"#).decode()
        #expect(sparse == Claims(sub: "bob", name: nil, updatedAt: nil, groups: nil))
    }

    @Test(
        "A member of another type, or a missing one, is a decoding error that names it",
        arguments: [#"{"sub":1}"#, "{}"]
    )
    func undecodable(text: String) throws {
        let object = try object(text)
        let error = #expect(throws: DecodingError.self) { try object.decode(Claims.self) }
        switch error {
        case .typeMismatch(_, let context): #expect(context.codingPath.map(\.stringValue) == ["sub"])
        case .keyNotFound(let key, _): #expect(key.stringValue == "sub")
        default: Issue.record("\(String(describing: error))")
        }
    }
}
