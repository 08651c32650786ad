import Foundation

/// What the simulated browser sends: one request, whose redirect it follows by itself.
public struct BrowserRequest: Sendable {
    public var url: URL
    public var method = "GET"
    public var fields: [String: String] = [:]
    public var body: [UInt8] = []

    public init(url: URL) { self.url = url }
}

/// What the simulated browser receives.
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

/// What carries the simulated browser's requests; `nil` when no answer came, and the browser then shows a page of its own.
public typealias BrowserTransport = @Sendable (BrowserRequest) async -> BrowserResponse?

/// A page that the person has in front of them.
public struct BrowserPage: Sendable {
    public let url: URL
    public let status: Int
    public let body: [UInt8]
}

/// What the scripted person does with the page in front of them.
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

/// How a visit ended.
public enum BrowserOutcome: Sendable, Equatable {
    case callback(URL)
    case cancelledByUser
    case stopped
}
