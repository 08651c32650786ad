import Foundation
import Ostiary
import OstiaryOAuth

/// The time by the issuer's clock, which a token's expiry refers to, and a timer.
struct IssuerClock: Sendable {
    private let client: SignInClient
    private let transport: any HTTPTransport
    private let device: DeviceClock
    /// The issuer's responses to this clock's own requests.
    private let asked: ExchangeContext

    /// Knows the time as far as the client does.
    init(of client: SignInClient, transport: any HTTPTransport = commandTransport, device: DeviceClock = .system) {
        self.client = client
        self.transport = transport
        self.device = device
        asked = ExchangeContext(device: device)
    }

    /// The time; by this device's clock as long as the issuer has not been heard, and when the two differ by more than
    /// a client corrects.
    var now: Date {
        guard let offset = client.clockOffset else { return asked.clock.now }
        let bound = SessionPolicy().maximumClockCorrection
        let isFollowed = offset.isSignificant && (bound * -1...bound).contains(offset.lead)
        return isFollowed ? device.now().addingTimeInterval(offset.lead / .seconds(-1)) : device.now()
    }

    /// Requests the time from the issuer, unless it is known: a token from the store needs no request.
    ///
    /// Without a response it stays unknown.
    func ask() async {
        guard client.clockOffset == nil, asked.clock.offset == nil else { return }
        _ = try? await transport.perform(ServerMetadataRequest(client.issuer), in: asked)
    }

    /// Waits.
    ///
    /// - Throws: `CancellationError` when the task is cancelled meanwhile.
    func sleep(for time: Duration) async throws { try await device.sleep(time) }
}
