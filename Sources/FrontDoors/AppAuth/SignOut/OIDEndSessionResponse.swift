public import Foundation
import OstiaryJOSE

/// The redirect that answers an end-session request.
public final class OIDEndSessionResponse: NSObject, NSCopying, NSSecureCoding, Sendable {
    /// The request.
    public let request: OIDEndSessionRequest
    /// The `state` of the response.
    public let state: String?
    private let rest: JSONObject

    /// The parameters without a property of their own.
    public var additionalParameters: [String: any NSObject & NSCopying]? { rest.foundation }

    /// Takes the parameters of a redirect; nothing is checked.
    public convenience init(request: OIDEndSessionRequest, parameters: [String: any NSObject & NSCopying]) {
        self.init(request, members: JSONObject(foundation: parameters) ?? JSONObject())
    }

    init(_ request: OIDEndSessionRequest, members: JSONObject) {
        self.request = request
        state = members["state"]?.string
        rest = members.without(["state"])
    }

    /// Whether an archive is read with secure coding: always.
    public static var supportsSecureCoding: Bool { true }

    /// Reads an archive of this type, or of AppAuth's.
    public convenience init?(coder: NSCoder) {
        guard let request: OIDEndSessionRequest = coder.object("request") else { return nil }
        var members = coder.json("additionalParameters") ?? JSONObject()
        members["state"] = coder.text("state").map { .string($0) }
        self.init(request, members: members)
    }

    /// Writes the keys of AppAuth's archives.
    public func encode(with coder: NSCoder) {
        coder.encode(request, forKey: "request")
        coder.set(state, "state")
        coder.set(rest, "additionalParameters")
    }

    /// This object, which does not change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The endpoint.
    override public var description: String { "OIDEndSessionResponse(\(request.description))" }
}
