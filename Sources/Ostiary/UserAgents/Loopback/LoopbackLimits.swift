#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The limits of a loopback listener for its clients.
package struct LoopbackLimits: Sendable {
    /// The largest request head in bytes.
    package var headBytes = 16_384
    /// The largest number of lines in a request head.
    package var headLines = 64
    /// The largest number of open connections; a new one replaces the oldest.
    package var connections = 16
    /// The time limit for one connection.
    package var connection: Duration = .seconds(10)
    /// The time that the listener stays for its last page after its answer.
    package var linger: Duration = .seconds(2)

    /// The users whose programs may visit the listener, on systems that report a connection's user; `nil` for every
    /// user.
    ///
    /// Default: the user of this process and user 0, whose port forwarding is how a browser outside of a virtual
    /// machine connects. A process of user 0 serves every user, since the browser runs as another user.
    package var users: Set<UInt32>? = geteuid() == 0 ? nil : [0, getuid(), geteuid()]

    package init() {}
}
