import Foundation

/// A request of the simulated browser, whose redirect it follows by itself.
public struct BrowserRequest: Sendable {
    public var url: URL
    public var method = "GET"
    public var fields: [String: String] = [:]
    public var body: [UInt8] = []

    public init(url: URL) { self.url = url }
}

/// A response for the simulated browser.
public struct BrowserResponse: Sendable {
    public var status: Int
    /// Names in lower case; a field may occur more than once.
    public var fields: [(name: String, value: String)]
    public var body: [UInt8]

    public init(status: Int, fields: [(name: String, value: String)], body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
}

/// The network of the simulated browser; `nil` when no answer came, and the browser then shows a page of its own.
public typealias BrowserTransport = @Sendable (BrowserRequest) async -> BrowserResponse?

/// A page in front of the user.
public struct BrowserPage: Sendable {
    public let url: URL
    public let status: Int
    public let body: [UInt8]
}

/// The scripted user's action on the page in front.
public enum BrowserAction: Sendable {
    /// Sends a form: its target and its fields in order.
    case submit(to: String, fields: [(name: String, value: String)])
    /// Follows a link or types an address.
    case visit(URL)
    /// Takes the sheet down.
    case cancel
    /// Leaves the sheet open until the app takes it down.
    case wait
}

/// The end of a visit.
public enum BrowserOutcome: Sendable, Equatable {
    case callback(URL)
    case cancelledByUser
    case stopped
}
