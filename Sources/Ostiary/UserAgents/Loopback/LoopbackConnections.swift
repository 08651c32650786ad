#if os(Linux) || os(macOS)
    import Foundation

    /// Serves the connections of one loopback listener on one thread, which sleeps in `poll`.
    struct LoopbackConnections {
        private struct Connection {
            enum Phase {
                /// Waiting for the end of the request head.
                case reading
                /// Sending the response.
                case writing
                /// Everything is sent; waiting for the peer to close.
                ///
                /// Closing with unread bytes would reset the connection, and the response could be lost.
                case draining
            }

            let descriptor: Int32
            let deadline: ContinuousClock.Instant
            var phase = Phase.reading
            var head: [UInt8] = []
            var response: ArraySlice<UInt8> = []
            var isLast = false
            var isFinished = false
        }

        private let listeners: [Int32]
        private let wake: Int32
        private var reception: LoopbackReception
        private let limits: LoopbackLimits
        private let answered: (URL) -> Void
        private let failed: (SignInError) -> Void
        private var connections: [Connection] = []
        /// The time at which the listener ends; `nil` while it awaits its answer.
        private var end: ContinuousClock.Instant?

        init(
            listeners: [Int32],
            wake: Int32,
            reception: LoopbackReception,
            limits: LoopbackLimits,
            answered: @escaping (URL) -> Void,
            failed: @escaping (SignInError) -> Void
        ) {
            self.listeners = listeners
            self.wake = wake
            self.reception = reception
            self.limits = limits
            self.answered = answered
            self.failed = failed
        }

        /// Serves until it is woken, the page after the answer has been served, or the time is up.
        mutating func run() {
            defer { for connection in connections { LoopbackSocket.close(connection.descriptor) } }
            while true {
                var polled = interests()
                let count = poll(&polled, nfds_t(polled.count), waitingTime())
                if polled[0].revents != 0 { return }
                let now = ContinuousClock.now
                if let end, now >= end { return }
                if count > 0 {
                    for (index, entry) in polled.dropFirst(1 + listeners.count).enumerated() where entry.revents != 0 {
                        serve(index, now: now)
                    }
                }
                let isDone = connections.contains { $0.isLast && $0.isFinished }
                connections.removeAll { connection in
                    guard connection.isFinished || now >= connection.deadline else { return false }
                    LoopbackSocket.close(connection.descriptor)
                    return true
                }
                if isDone { return }
                if count > 0 {
                    for (index, listener) in listeners.enumerated() where polled[1 + index].revents != 0 {
                        accept(from: listener, now: now)
                    }
                }
            }
        }

        private func interests() -> [pollfd] {
            var polled = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
            polled += listeners.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            polled += connections.map {
                pollfd(fd: $0.descriptor, events: Int16($0.phase == .writing ? POLLOUT : POLLIN), revents: 0)
            }
            return polled
        }

        /// Milliseconds until the next deadline, rounded up; -1 for none.
        private func waitingTime() -> Int32 {
            guard let next = (connections.map(\.deadline) + [end].compactMap { $0 }).min() else { return -1 }
            let left = ContinuousClock.now.duration(to: next).components
            guard left.seconds >= 0, left.attoseconds >= 0 else { return 0 }
            return Int32(min(left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1, 60_000))
        }

        private mutating func accept(from listener: Int32, now: ContinuousClock.Instant) {
            while let descriptor = LoopbackSocket.accept(from: listener) {
                if connections.count >= limits.connections {
                    // The oldest gives way: idle connections cannot keep the browser out.
                    LoopbackSocket.close(connections.removeFirst().descriptor)
                }
                connections.append(Connection(descriptor: descriptor, deadline: now + limits.connection))
            }
        }

        private mutating func serve(_ index: Int, now: ContinuousClock.Instant) {
            switch connections[index].phase {
            case .reading: read(index, now: now)
            case .writing: write(index)
            case .draining:
                if let rest = LoopbackSocket.read(from: connections[index].descriptor, atMost: 4096), rest.isEmpty {
                    connections[index].isFinished = true
                }
            }
        }

        private mutating func read(_ index: Int, now: ContinuousClock.Instant) {
            let room = limits.headBytes + 1 - connections[index].head.count
            guard let bytes = LoopbackSocket.read(from: connections[index].descriptor, atMost: min(room, 4096)) else {
                return
            }
            guard !bytes.isEmpty else {
                connections[index].isFinished = true
                return
            }
            let known = connections[index].head.count
            connections[index].head += bytes
            let descriptor = connections[index].descriptor
            let reply = reception.reply(
                to: connections[index].head,
                searchedUpTo: known,
                ofAnotherUser: { [limits] in Self.isOfAnotherUser(descriptor, than: limits.users) }
            )
            guard let reply else { return }
            connections[index].head = []
            connections[index].response = reply.bytes[...]
            connections[index].isLast = reply.isLast
            connections[index].phase = .writing
            // The browser has its reply before the caller continues, and perhaps ends the process.
            write(index)
            if let answer = reply.answer {
                end = now + limits.linger
                answered(answer)
            }
            if let failure = reply.failure { failed(failure) }
        }

        /// Whether another user's program has made a connection, as far as the system reports it.
        private static func isOfAnotherUser(_ descriptor: Int32, than users: Set<UInt32>?) -> Bool {
            #if os(Linux)
                guard let users, let peer = LoopbackPeer(of: descriptor) else { return false }
                switch peer.owner() {
                case .user(let user): return !users.contains(user)
                // A browser would wait for its reply.
                case .gone: return true
                case .unknown: return false
                }
            #else
                return false
            #endif
        }

        private mutating func write(_ index: Int) {
            guard let count = LoopbackSocket.write(connections[index].response, to: connections[index].descriptor)
            else {
                connections[index].isFinished = true
                return
            }
            connections[index].response.removeFirst(count)
            if connections[index].response.isEmpty {
                LoopbackSocket.endWriting(connections[index].descriptor)
                connections[index].phase = .draining
            }
        }
    }
#endif
