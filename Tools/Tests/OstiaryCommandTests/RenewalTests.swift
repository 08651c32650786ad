import Foundation
import Ostiary
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Synchronization
import Testing

@testable import OstiaryCommand

@Suite("The token of a running program", .fewAtOnce)
struct RenewalTests {
    /// When tokens were handed over, in seconds from the sign-in on by the issuer's clock.
    private func deliveries(
        lifetime: Double,
        deviceAhead ahead: Double = 0,
        scenario: Scenario = .none,
        until end: Double
    ) async throws -> (times: [Double], requests: Int) {
        var lifetimes = ProviderConfiguration.Lifetimes()
        lifetimes.accessToken = .seconds(lifetime)
        let place = try await ProviderInProcess(scenario: scenario, lifetimes: lifetimes)
        let (clock, start) = (place.clock, place.clock.now)
        let device = DeviceClock(
            now: { clock.now.addingTimeInterval(ahead) },
            uptime: { clock.now.timeIntervalSince1970 },
            sleep: { pause in
                clock.advance(by: pause)
                guard clock.now.timeIntervalSince(start) <= end else { throw CancellationError() }
            }
        )
        _ = try await place.signIn(device: device)
        let before = place.network.count(path: "/token")
        // As another process finds it, which has not heard the issuer.
        let client = try place.client(device: device)
        let session = try #require(try await client.restoreSession())
        let renewal = Renewal(
            session: session,
            target: nil,
            minimumValidity: .seconds(60),
            clock: IssuerClock(of: client, transport: place.network, device: device)
        )
        let times = Mutex<[Double]>([])
        await renewal.run(
            from: try await session.accessToken(minimumValidity: .seconds(60)),
            telling: .standard
        ) { (_) throws(UsageError) in
            times.withLock { $0.append(clock.now.timeIntervalSince(start).rounded()) }
        }
        return (times.withLock { $0 }, place.network.count(path: "/token") - before)
    }

    @Test("exec renews its token the requested time before it expires")
    func inTime() async throws {
        let course = try await deliveries(lifetime: 600, until: 1700)
        #expect(course.times == [540, 1080, 1620] && course.requests == 3)
    }

    @Test("A device clock almost a day off neither delays nor hastens exec's renewals")
    func wrongClock() async throws {
        for ahead in [-80_000.0, 80_000] {
            let course = try await deliveries(lifetime: 600, deviceAhead: ahead, until: 1700)
            // What an answer says of the time has whole seconds.
            #expect(zip(course.times, [540, 1080, 1620]).allSatisfy { abs($0 - $1) <= 2 }, "\(course.times)")
            #expect(course.times.count == 3 && course.requests == 3)
        }
    }

    @Test("A token with less lifetime than requested is renewed at half of it")
    func short() async throws {
        // The first one is a new one, too: it did not last for as long as was asked for.
        let course = try await deliveries(lifetime: 30, until: 100)
        #expect(course.times == [15, 30, 45, 60, 75, 90] && course.requests == 7)
    }

    @Test("An unchanged token is not written again for exec's command")
    func same() async throws {
        let scenario = Scenario(name: "the same token") { scenario in
            scenario.idToken = { $0.claims["at_hash"] = nil }
            scenario.tokenResponse = { object, _ in object["access_token"] = "same" }
        }
        let course = try await deliveries(lifetime: 600, scenario: scenario, until: 1700)
        #expect(course.times.isEmpty && course.requests == 3)
    }

    @Test("A new token that is due at once is requested again after half of its remaining time")
    func dueAtOnce() {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let schedule = RenewalSchedule(
            expiry: now.addingTimeInterval(40),
            lifetime: .seconds(3600),
            minimumValidity: .seconds(60)
        )
        #expect(schedule.isDue(at: now) && schedule.wait(at: now) == .seconds(20))
        #expect(schedule.wait(at: now.addingTimeInterval(100)) == .seconds(1))
    }

    @Test("exec's renewal margin is at least a second, or half of a shorter lifetime")
    func margins() {
        func margin(_ lifetime: Int?, _ minimumValidity: Int) -> Duration {
            RenewalSchedule(
                expiry: .distantFuture,
                lifetime: lifetime.map { .seconds($0) },
                minimumValidity: .seconds(minimumValidity)
            ).margin
        }
        #expect(margin(nil, 60) == .seconds(60) && margin(3600, 60) == .seconds(60))
        #expect(margin(3600, 0) == .seconds(1) && margin(1, 0) == .milliseconds(500))
    }
}
