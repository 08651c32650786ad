import HTTPTypes
import OstiaryCompatibility
public import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension EndpointResponse {
    /// Reads a JSON object.
    ///
    /// The media type must be `application/json`, `text/json`, another `+json`, or one of `mediaTypes`, so that an HTML
    /// page is rejected.
    ///
    /// - Parameters:
    ///   - stage: The stage of the error.
    ///   - mediaTypes: Further media types to read as JSON.
    ///   - limits: Size, depth and number of values.
    /// - Returns: The object.
    /// - Throws: `malformed` for another media type and for anything but one JSON object.
    public func jsonObject(
        at stage: SignInError.Stage,
        mediaTypes: Set<String> = [],
        limits: JSONLimits = JSONLimits()
    ) throws(SignInError) -> JSONObject {
        let isJSON =
            mediaType.map {
                ["application/json", "text/json"].contains($0) || $0.hasSuffix("+json") || mediaTypes.contains($0)
            } ?? false
        guard NamedCheck.holds("exchange.media_type", isJSON) else {
            throw SignInError(stage, .malformed("the media type is not application/json"))
        }
        do throws(JSONError) {
            return try JSONObject(parsing: body, limits: limits)
        } catch {
            throw SignInError(stage, .malformed(error.sentence))
        }
    }

    /// The pause that the server requests: `Retry-After`, 0 to a day (RFC 9110 section 10.2.3).
    ///
    /// A date is counted from the response's own date.
    public var retryAfter: Duration? {
        guard let text = fields[.retryAfter] else { return nil }
        if let seconds = Double(text), seconds >= 0 { return Duration(boundedSeconds: min(seconds, 86_400)) }
        guard let date = HTTPDate.date(text), let now = fields[.date].flatMap(HTTPDate.date) else { return nil }
        return Duration(boundedSeconds: min(max(0, date.timeIntervalSince(now)), 86_400))
    }
}

extension JSONError {
    /// The reason, in fixed words.
    var sentence: String {
        switch self {
        case .tooLarge, .tooManyValues: "the JSON is too large"
        case .tooDeep: "the JSON is nested too deeply"
        case .duplicateMember: "the JSON has a member twice"
        case .notUTF8: "the JSON is not UTF-8"
        case .notAnObject: "the JSON is not an object"
        case .malformed: "the JSON is broken"
        }
    }
}
