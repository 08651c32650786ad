#if PostgreSQL
    import CPostgreSQL

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// Waits for a connection's socket.
    enum PostgreSQLSocket {
        /// The events to wait for.
        struct Events: OptionSet {
            let rawValue: Int16
            static let readable = Events(rawValue: Int16(POLLIN))
            static let writable = Events(rawValue: Int16(POLLOUT))
        }

        /// Waits for an event on a socket.
        ///
        /// - Returns: The events that occurred, with an error or the end counted as readable; `nil` when the time is
        ///   up.
        static func wait(_ socket: Int32, for events: Events, until deadline: ContinuousClock.Instant) -> Events? {
            while true {
                let remaining = ContinuousClock.now.duration(to: deadline)
                var descriptor = pollfd(fd: socket, events: events.rawValue, revents: 0)
                let count = poll(&descriptor, 1, remaining > .zero ? Int32(clamping: remaining.milliseconds) : 0)
                if count > 0 {
                    let happened = Events(rawValue: descriptor.revents).intersection([.readable, .writable])
                    return happened.isEmpty ? .readable : happened
                }
                if count == 0 || errno != EINTR {
                    return ContinuousClock.now >= deadline || count != 0 ? nil : .some([])
                }
            }
        }

        /// Whether there is something to read now, which on an idle connection is its end.
        static func isReadable(_ socket: Int32) -> Bool {
            var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            return poll(&descriptor, 1, 0) != 0
        }

        /// Sleeps on the connection's own thread.
        static func pause(milliseconds: Int) { usleep(UInt32(milliseconds) * 1000) }
    }
#endif
