/// What a loopback listener lets others take of it.
package struct LoopbackLimits: Sendable {
    /// The largest request head in bytes.
    package var headBytes = 16_384
    /// The largest number of lines in a request head.
    package var headLines = 64
    /// How many connections may be open; the oldest gives way to a new one.
    package var connections = 16
    /// How long one connection may take.
    package var connection: Duration = .seconds(10)
    /// How long the listener stays for its last page once it has its answer.
    package var linger: Duration = .seconds(2)

    package init() {}
}
