#if os(Linux) || os(macOS)
    import OstiaryOAuth
    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// The BSD socket calls that the loopback listener needs.
    ///
    /// Every descriptor is non-blocking, and closed in child processes: a browser that inherited a socket would keep
    /// the port taken.
    enum LoopbackSocket {
        enum Address: String {
            case ipv4 = "127.0.0.1"
            case ipv6 = "::1"
        }

        /// The reason an address and port could not be taken.
        struct Failure: Error {
            let code: Int32
            let port: Int
            let address: Address
        }

        /// Listens on a loopback address.
        ///
        /// With SO_REUSEADDR, a fixed port can be taken again while its old connections expire, and still by one
        /// listener only. SO_REUSEPORT would admit two listeners, so it is not set.
        static func listen(on address: Address, port: Int) throws(Failure) -> Int32 {
            let family = address == .ipv4 ? AF_INET : AF_INET6
            let descriptor = socket(family, streamType, 0)
            guard descriptor >= 0 else { throw Failure(code: errno, port: port, address: address) }
            prepare(descriptor)
            set(descriptor, SOL_SOCKET, SO_REUSEADDR, to: 1)
            if address == .ipv6 { set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, to: 1) }
            guard bind(descriptor, to: address, port: port), systemListen(descriptor, 16) == 0 else {
                let code = errno
                systemClose(descriptor)
                throw Failure(code: code, port: port, address: address)
            }
            return descriptor
        }

        /// The port that a socket listens on.
        static func port(of descriptor: Int32) -> Int {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            return withUnsafeMutablePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                    guard getsockname(descriptor, name, &length) == 0 else { return 0 }
                    return name.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                        // sin_port and sin6_port lie at the same offset.
                        Int(UInt16(bigEndian: $0.pointee.sin_port))
                    }
                }
            }
        }

        /// The octets and the port of the other side's address; `nil` when the connection has ended.
        static func farEnd(of descriptor: Int32) -> (address: [UInt8], port: UInt16)? {
            end { getpeername(descriptor, $0, $1) }
        }

        /// The octets and the port of this side's address; `nil` when the connection has ended.
        static func nearEnd(of descriptor: Int32) -> (address: [UInt8], port: UInt16)? {
            end { getsockname(descriptor, $0, $1) }
        }

        private static func end(
            _ read: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
        ) -> (address: [UInt8], port: UInt16)? {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            return withUnsafeMutablePointer(to: &storage) { pointer in
                let isRead = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { read($0, &length) == 0 }
                guard isRead else { return nil }
                switch Int32(pointer.pointee.ss_family) {
                case AF_INET:
                    return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { name in
                        let port = UInt16(bigEndian: name.pointee.sin_port)
                        return (withUnsafeBytes(of: name.pointee.sin_addr) { Array($0) }, port)
                    }
                case AF_INET6:
                    return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { name in
                        let port = UInt16(bigEndian: name.pointee.sin6_port)
                        return (withUnsafeBytes(of: name.pointee.sin6_addr) { Array($0) }, port)
                    }
                default: return nil
                }
            }
        }

        /// Accepts the next connection; `nil` when there is none.
        static func accept(from descriptor: Int32) -> Int32? {
            let connection = systemAccept(descriptor, nil, nil)
            guard connection >= 0 else { return nil }
            prepare(connection)
            return connection
        }

        /// Reads the available bytes; `nil` when there are none, empty when the peer has ended or broken the
        /// connection.
        static func read(from descriptor: Int32, atMost count: Int) -> [UInt8]? {
            var buffer = [UInt8](repeating: 0, count: count)
            let length = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            if length < 0 { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? nil : [] }
            buffer.removeLast(count - length)
            return buffer
        }

        /// Writes as many bytes as fit, and returns their number; `nil` when the connection is broken.
        static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int? {
            let length = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, noSignal) }
            if length < 0 { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : nil }
            return length
        }

        /// Signals to the peer that no more bytes follow.
        static func endWriting(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

        static func close(_ descriptor: Int32) { systemClose(descriptor) }

        /// A pipe that wakes a `poll`.
        static func wakePipe() -> (read: Int32, write: Int32)? {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { return nil }
            ends.forEach(prepare)
            return (ends[0], ends[1])
        }

        static func wake(_ descriptor: Int32) {
            var byte: UInt8 = 1
            _ = systemWrite(descriptor, &byte, 1)
        }

        private static func prepare(_ descriptor: Int32) {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
            #if canImport(Darwin)
                // Darwin has no MSG_NOSIGNAL: without this, a browser that hangs up would end the process.
                set(descriptor, SOL_SOCKET, SO_NOSIGPIPE, to: 1)
            #endif
        }

        private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, to value: Int32) {
            var value = value
            _ = setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
        }

        private static func bind(_ descriptor: Int32, to address: Address, port: Int) -> Bool {
            switch address {
            case .ipv4:
                var name = sockaddr_in()
                name.sin_family = sa_family_t(AF_INET)
                name.sin_port = UInt16(port).bigEndian
                name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
                return bind(descriptor, &name)
            case .ipv6:
                var name = sockaddr_in6()
                name.sin6_family = sa_family_t(AF_INET6)
                name.sin6_port = UInt16(port).bigEndian
                _ = inet_pton(AF_INET6, address.rawValue, &name.sin6_addr)
                return bind(descriptor, &name)
            }
        }

        private static func bind<Name>(_ descriptor: Int32, _ name: inout Name) -> Bool {
            withUnsafeMutablePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    systemBind(descriptor, $0, socklen_t(MemoryLayout<Name>.size)) == 0
                }
            }
        }
    }

    // The system's functions, under names that the methods above do not hide.
    private let systemListen = listen
    private let systemAccept = accept
    private let systemBind: @Sendable (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32 = bind
    private let systemWrite: @Sendable (Int32, UnsafeRawPointer?, Int) -> Int = write
    private func systemClose(_ descriptor: Int32) { _ = close(descriptor) }

    #if canImport(Darwin)
        private let streamType = SOCK_STREAM
        private let noSignal: Int32 = 0
    #elseif canImport(Musl)
        private let streamType = SOCK_STREAM | SOCK_CLOEXEC
        private let noSignal = Int32(MSG_NOSIGNAL)
    #else
        // Closed in child processes from the start: another thread may start a child at any time.
        private let streamType = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        private let noSignal = Int32(MSG_NOSIGNAL)
    #endif
#endif
