import OstiaryJOSE
import Testing

@Suite("Own cases of signatures, keys and tokens")
struct VectorsCasesTests {
    static let files = [
        "cases-es256", "cases-es384", "cases-es512", "cases-eddsa", "cases-rsa-pkcs1", "cases-rsa-pss", "cases-keys",
        "cases-tokens",
    ]
    static let all = VectorCase.all("cases", in: files)

    @Test("Every key vector is parsed, or rejected with its expected error", arguments: all)
    func key(vector: VectorCase) throws {
        let text = try vector.keyText()
        let outcome = refusal { () throws(JOSEError) in
            let members: JSONObject
            do throws(JSONError) { members = try JSONObject(parsing: text) } catch { throw .json(error) }
            _ = try JSONWebKey(members)
        }
        #expect(outcome == vector.string("keyError"))
    }

    @Test("Every token vector is verified by its key, or rejected with its expected error", arguments: withToken)
    func token(vector: VectorCase) throws {
        let token = try #require(vector.string("token"))
        let algorithms = try vector.algorithms()
        let key = try JSONWebKey(vector.object("key"))
        let outcome = refusal { () throws(JOSEError) in
            _ = try UnverifiedJWT(token).verified(by: key, algorithms: algorithms)
        }
        #expect(outcome == vector.string("error"))
    }

    @Test("Every token vector is verified by its key set, or rejected with its expected error", arguments: withToken)
    func keySet(vector: VectorCase) throws {
        let token = try #require(vector.string("token"))
        let algorithms = try vector.algorithms()
        let keys = try JSONWebKeySet(parsing: Array(#"{"keys":["#.utf8) + vector.keyText() + Array("]}".utf8))
        let outcome = refusal { () throws(JOSEError) in
            _ = try UnverifiedJWT(token).verified(by: keys, algorithms: algorithms)
        }
        #expect(outcome == vector.string("error"))
    }

    @Test("Every vector's result agrees with its errors", arguments: all)
    func result(vector: VectorCase) {
        let isRefused = vector.string("error") != nil || vector.string("keyError") != nil
        #expect(vector.string("result") == (isRefused ? "invalid" : "valid"))
    }

    /// The cases with a token under a key that can be read.
    static let withToken = all.filter { $0.string("token") != nil && $0.string("keyError") == nil }
}
