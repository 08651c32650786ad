import OstiaryJOSE
import Testing

extension CommandLineTool.Transcript {
    /// The one object on standard output.
    func json(sourceLocation: SourceLocation = #_sourceLocation) throws -> JSONObject {
        #expect(output.hasSuffix("}\n") && output.count { $0 == "\n" } == 1, sourceLocation: sourceLocation)
        return try JSONObject(parsing: Array(output.utf8))
    }

    /// The object's report of the failure: reason, check, code.
    func failure(sourceLocation: SourceLocation = #_sourceLocation) throws -> FailureWords {
        let object = try json(sourceLocation: sourceLocation)
        #expect(object["ok"]?.bool == false, sourceLocation: sourceLocation)
        let error = try #require(object["error"]?.object, sourceLocation: sourceLocation)
        #expect(
            error.names == ["stage", "reason", "check", "code", "message", "recovery"],
            sourceLocation: sourceLocation
        )
        return FailureWords(
            status: status,
            stage: error["stage"]?.string,
            reason: error["reason"]?.string,
            check: error["check"]?.string,
            code: error["code"]?.string
        )
    }
}

/// A failure without its sentence.
struct FailureWords: Hashable {
    var status: Int32?
    var stage: String?
    var reason: String?
    var check: String?
    var code: String?

    init(_ status: Int32?, _ stage: String?, _ reason: String?, check: String? = nil, code: String? = nil) {
        self.init(status: status, stage: stage, reason: reason, check: check, code: code)
    }

    init(status: Int32?, stage: String?, reason: String?, check: String?, code: String?) {
        self.status = status
        self.stage = stage
        self.reason = reason
        self.check = check
        self.code = code
    }
}

extension JSONValue {
    /// The elements of an array that holds objects alone.
    var objects: [JSONObject]? { array?.compactMap(\.object) }
}
