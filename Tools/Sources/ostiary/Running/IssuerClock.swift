import Foundation
import Ostiary
import OstiaryOAuth

/// The time by the issuer's clock, in which the expiry of a session's token is told, and how to wait.
struct IssuerClock: Sendable {
    private let client: SignInClient
    private let transport: any HTTPTransport
    private let device: DeviceClock
    /// What the issuer said to a question of this clock's own.
    private let asked: ExchangeContext

    /// Knows the time as far as the client does.
    init(of client: SignInClient, transport: any HTTPTransport = commandTransport, device: DeviceClock = .system) {
        self.client = client
        self.transport = transport
        self.device = device
        asked = ExchangeContext(device: device)
    }

    /// The time; by this device's clock as long as the issuer has not been heard, and when the two differ by more than a
    /// client corrects.
    var now: Date {
        guard let offset = client.clockOffset else { return asked.clock.now }
        let isFollowed = offset.isSignificant && abs(offset.seconds) <= SessionPolicy().maximumClockCorrection
        return isFollowed ? device.now().addingTimeInterval(-offset.seconds) : device.now()
    }

    /// Asks the issuer for the time, unless it is known: nothing has to be sent for a token that a store had.
    ///
    /// Without an answer it stays unknown.
    func ask() async {
        guard client.clockOffset == nil, asked.clock.offset == nil else { return }
        _ = try? await transport.perform(Discovery(client.issuer), in: asked)
    }

    /// Waits for some seconds.
    ///
    /// - Throws: When the task is cancelled meanwhile.
    func sleep(for seconds: Double) async throws { try await device.sleep(seconds) }
}
