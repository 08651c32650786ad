import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Synchronization

/// The reason that a TLS handshake fails, found by a second handshake that accepts every certificate and sends nothing.
enum CertificateProblem {
    /// Returns a clause such as "the certificate expired on 2026-11-01T00:00:00Z".
    static func reason(host: String, port: Int) -> String {
        guard let url = URL(string: "https://\(host):\(port)"), CommandNetwork.current.proxy(for: url) == nil else {
            return "the certificate is not trusted"
        }
        switch presented(host: host, port: port) {
        case .failure(let error):
            return "\(error)".contains("WRONG_VERSION_NUMBER")
                ? "the server does not speak TLS on this port" : "the handshake did not end"
        case .success(let certificate):
            return reason(certificate, host: host)
        }
    }

    private static func reason(_ certificate: NIOSSLCertificate, host: String) -> String {
        let now = Int(Date.now.timeIntervalSince1970)
        func time(_ seconds: Int) -> String { Date(timeIntervalSince1970: Double(seconds)).internetTime }
        if Int(certificate.notValidAfter) < now {
            return "the certificate expired on \(time(Int(certificate.notValidAfter)))"
        }
        if Int(certificate.notValidBefore) > now {
            return "the certificate is not valid before \(time(Int(certificate.notValidBefore)))"
        }
        let names = names(of: certificate)
        if names.isEmpty { return "the certificate names no host" }
        if !names.contains(where: { covers($0, host) }) {
            return "the certificate is for \(names.prefix(3).joined(separator: ", ").shortened)"
        }
        return "the certificate is not trusted, or is too weak"
    }

    /// The certificate that the server presents.
    private static func presented(host: String, port: Int) -> Result<NIOSSLCertificate, any Error> {
        let box = Box()
        do {
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            let context = try NIOSSLContext(configuration: .makeClientConfiguration())
            let done = loop.makePromise(of: Void.self)
            let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
            let bootstrap = ClientBootstrap(group: loop).connectTimeout(.seconds(3)).channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = try NIOSSLClientHandler(
                        context: context,
                        serverHostname: isAddress(bare) ? nil : bare,
                        customVerificationCallback: { certificates, promise in
                            box.value.withLock { $0 = certificates.first }
                            promise.succeed(.certificateVerified)
                        }
                    )
                    try channel.pipeline.syncOperations.addHandlers(handler, HandshakeWatch(done))
                }
            }
            loop.scheduleTask(in: .seconds(3)) { done.fail(ChannelError.connectTimeout(.seconds(3))) }
            let channel = try bootstrap.connect(host: bare, port: port).wait()
            defer { channel.close(promise: nil) }
            try done.futureResult.wait()
        } catch {
            if let certificate = box.value.withLock({ $0 }) { return .success(certificate) }
            return .failure(error)
        }
        guard let certificate = box.value.withLock({ $0 }) else { return .failure(ChannelError.eof) }
        return .success(certificate)
    }

    private final class Box: Sendable {
        let value = Mutex<NIOSSLCertificate?>(nil)
    }

    /// The subject alternative names of a certificate: its hosts, and its addresses.
    private static func names(of certificate: NIOSSLCertificate) -> [String] {
        certificate._subjectAlternativeNames().compactMap { name in
            let contents = name.contents.withUnsafeBufferPointer { Array($0) }
            switch name.nameType {
            case .dnsName: return String(validating: contents, as: UTF8.self)
            case .ipAddress:
                return contents.count == 4 ? contents.map { "\($0)" }.joined(separator: ".") : "an IPv6 address"
            default: return nil
            }
        }
    }

    private static func covers(_ name: String, _ host: String) -> Bool {
        let (name, host) = (name.lowercased(), host.lowercased())
        guard name.hasPrefix("*.") else { return name == host || (isAddress(host) && name == "an ipv6 address") }
        return host.split(separator: ".").dropFirst().joined(separator: ".") == name.dropFirst(2)
    }

    private static func isAddress(_ host: String) -> Bool {
        (try? SocketAddress(ipAddress: host, port: 0)) != nil
    }
}

/// Reports the end of a handshake.
private final class HandshakeWatch: ChannelInboundHandler {
    typealias InboundIn = Any

    private let done: EventLoopPromise<Void>

    init(_ done: EventLoopPromise<Void>) { self.done = done }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted = event as? TLSUserEvent { done.succeed() }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        done.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        done.fail(ChannelError.eof)
        context.fireChannelInactive()
    }
}
