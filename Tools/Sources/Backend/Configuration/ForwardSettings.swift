import OstiaryServer

/// A part of an API that apps reach with their sessions.
public struct ForwardSettings: Sendable, Hashable {
    /// Where apps ask; what lies below it is forwarded, too.
    public let path: String
    /// Where that is at the API, without a slash at the end.
    public let target: String

    init(_ setting: Setting) throws(BackendConfigurationError) {
        let object = try setting.object(of: "path", "to")
        path = try object.required("path").route()
        let place = try object.required("to")
        let text = try place.text()
        // Of the same form as a name of this service: https, or http on this machine, without a query.
        guard let origin = try? ExternalOrigin(text) else {
            throw place.wrong("This has to be an https URL without a query, such as https://orders.example.com/api.")
        }
        target = origin.description
    }
}
