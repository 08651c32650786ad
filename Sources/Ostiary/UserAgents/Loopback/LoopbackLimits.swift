#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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

    /// The users whose programs may visit the listener, where the system tells a connection's user; `nil` for every user.
    ///
    /// Default: this process's own user, and the system's own (0), whose forwarding of a port is how a browser outside of a
    /// virtual machine gets here. A process of the system's own user serves every user: the browser is another user's.
    package var users: Set<UInt32>? = geteuid() == 0 ? nil : [0, getuid(), geteuid()]

    package init() {}
}
