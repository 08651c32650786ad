import OstiaryServer

/// A part of an API that apps reach with their sessions.
public struct ForwardSettings: Sendable, Hashable {
    /// The path that apps request; every path below it is forwarded as well.
    public let path: String
    /// The corresponding URL of the API, without a trailing slash.
    public let target: String

    init(_ setting: Setting) throws(BackendConfigurationError) {
        let object = try setting.object(of: "path", "to")
        path = try object.required("path").route()
        let place = try object.required("to")
        let text = try place.text()
        // Of the same form as a name of this service: https, or http on this machine, without a query.
        guard let origin = try? ExternalOrigin(text) else {
            throw place.wrong("Expected an https URL without a query, such as https://orders.example.com/api.")
        }
        target = origin.description
    }
}
