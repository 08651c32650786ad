#if PostgreSQL
    import Dispatch
    import OstiaryCompatibility

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// Looks up the addresses of host names, with a time limit.
    ///
    /// The system's resolver waits as long as its own configuration says, so it does so on a thread of its own. A lookup
    /// that goes on after its time is joined by the next one of that name: a name server that does not respond holds one
    /// thread for each name.
    final class NameLookup: Sendable {
        /// The resolver's result.
        enum Answer: Sendable, Equatable {
            /// The numeric addresses, in the order to try.
            case addresses([String])
            /// No address, for the reason that the resolver gives.
            case failure(String)
        }

        /// A lookup in progress.
        private final class Running: Sendable {
            private let state = Lock<(answer: Answer?, waiting: [Int: CheckedContinuation<Answer?, Never>])>((nil, [:]))
            private let last = Lock(0)

            /// Waits for the answer; `nil` when the time is up.
            func answer(until deadline: ContinuousClock.Instant) async -> Answer? {
                let ticket = last.withLock { last in
                    last += 1
                    return last
                }
                let left = ContinuousClock.now.duration(to: deadline)
                return await withCheckedContinuation { continuation in
                    let answer = state.withLock { state -> Answer? in
                        if state.answer == nil { state.waiting[ticket] = continuation }
                        return state.answer
                    }
                    if let answer { return continuation.resume(returning: answer) }
                    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(left.milliseconds)) {
                        self.state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume(returning: nil)
                    }
                }
            }

            func end(with answer: Answer) {
                let waiting = state.withLock { state in
                    state.answer = answer
                    defer { state.waiting = [:] }
                    return Array(state.waiting.values)
                }
                for continuation in waiting { continuation.resume(returning: answer) }
            }
        }

        private let resolve: @Sendable (String) -> Answer
        private let running = Lock<[String: Running]>([:])

        /// - Parameter resolve: Looks up a name. Default: the system's resolver.
        init(_ resolve: @escaping @Sendable (String) -> Answer = NameLookup.system) { self.resolve = resolve }

        /// Returns the numeric addresses of a name, at least one.
        ///
        /// - Throws: `unreachable` when there is none, or the time is up.
        func addresses(
            of host: String,
            until deadline: ContinuousClock.Instant
        ) async throws(PostgreSQLFailure) -> [String] {
            switch await joined(host).answer(until: deadline) {
            case nil: throw .unreachable("The name server has not resolved \(host) in time.")
            case .addresses(let addresses)? where !addresses.isEmpty: return addresses
            case .addresses?: throw .unreachable("The name \(host) has no address.")
            case .failure(let reason)?: throw .unreachable("The name \(host) was not resolved: \(reason).")
            }
        }

        /// The lookup of a name that is in progress, or a new one.
        private func joined(_ host: String) -> Running {
            running.withLock { running in
                if let lookup = running[host] { return lookup }
                let lookup = Running()
                running[host] = lookup
                DispatchQueue(label: "ostiary.postgresql.lookup").async { [resolve] in
                    let found = resolve(host)
                    self.running.withLock { $0[host] = nil }
                    lookup.end(with: found)
                }
                return lookup
            }
        }

        /// The addresses as the system's resolver has them.
        @Sendable
        static func system(_ host: String) -> Answer {
            var list: UnsafeMutablePointer<addrinfo>?
            let status = getaddrinfo(host, nil, nil, &list)
            guard status == 0 else { return .failure(gai_strerror(status).map { String(cString: $0) } ?? "\(status)") }
            defer { freeaddrinfo(list) }
            var addresses: [String] = []
            var next = list
            while let entry = next {
                next = entry.pointee.ai_next
                var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
                let status = getnameinfo(
                    entry.pointee.ai_addr,
                    entry.pointee.ai_addrlen,
                    &text,
                    socklen_t(text.count),
                    nil,
                    0,
                    NI_NUMERICHOST
                )
                let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
                let address = String(decoding: bytes, as: UTF8.self)
                // There is an entry for each type of socket.
                if status == 0, !addresses.contains(address) { addresses.append(address) }
            }
            return .addresses(addresses)
        }
    }
#endif
