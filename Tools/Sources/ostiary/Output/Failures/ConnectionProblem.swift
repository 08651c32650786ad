import Foundation

/// The system's reason that a host cannot be connected to.
enum ConnectionProblem {
    /// Connects once more, for at most a second, and closes the connection.
    ///
    /// - Returns: The system's words, such as "Connection refused"; `nil` when it connects now, or with a proxy.
    static func reason(host: String, port: Int) -> String? {
        guard let url = URL(string: "https://\(host):\(port)"), CommandNetwork.current.proxy(for: url) == nil else {
            return nil
        }
        var hints = addrinfo()
        hints.ai_socktype = CommandSocket.stream
        var list: UnsafeMutablePointer<addrinfo>?
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        guard getaddrinfo(name, String(port), &hints, &list) == 0 else { return nil }
        defer { freeaddrinfo(list) }
        var reason: String?
        var next = list
        for _ in 0..<4 {
            guard let address = next?.pointee else { break }
            let code = connectionError(address)
            guard code != 0 else { return nil }
            reason = String(cString: strerror(code))
            next = address.ai_next
        }
        return reason
    }

    private static func connectionError(_ address: addrinfo) -> Int32 {
        let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        if connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return 0 }
        guard errno == EINPROGRESS else { return errno }
        var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&polled, 1, 1000) > 0 else { return ETIMEDOUT }
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        return code
    }
}

/// Constants whose types differ between systems.
private enum CommandSocket {
    #if canImport(Glibc)
        static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        static let stream = SOCK_STREAM
    #endif
}
