import Foundation
import HTTPTypes
import OstiaryCompatibility
import Testing

@testable import OstiaryOAuth

@Suite("The time by the server's clock")
struct ClockTests {
    private static let start = 1_800_000_000.0

    /// A device whose displayed time and uptime are moved apart by hand.
    private final class Device: Sendable {
        let shown: Lock<Double>
        let uptime = Lock(1000.0)

        init(wrongBy seconds: Double = 0) { shown = Lock(ClockTests.start + seconds) }

        var clock: DeviceClock {
            DeviceClock(
                now: { Date(timeIntervalSince1970: self.shown.withLock { $0 }) },
                uptime: { self.uptime.withLock { $0 } }
            )
        }

        func pass(_ seconds: Double) {
            shown.withLock { $0 += seconds }
            uptime.withLock { $0 += seconds }
        }

        func set(forward seconds: Double) { shown.withLock { $0 += seconds } }

        /// The machine stands still, its uptime with it, and gets the time when it wakes.
        func pause(_ seconds: Double) { shown.withLock { $0 += seconds } }
    }

    private func answer(at time: Double, _ fields: HTTPFields = [:]) -> EndpointResponse {
        var fields = fields
        fields[.date] = HTTPDate.text(Date(timeIntervalSince1970: time))
        return EndpointResponse(fields: fields)
    }

    @Test("A date is written and read as HTTP has it")
    func dates() {
        let date = Date(timeIntervalSince1970: 784_111_777)
        #expect(HTTPDate.text(date) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.date("Sun, 06 Nov 1994 08:49:37 GMT") == date)
        #expect(HTTPDate.text(Date(timeIntervalSince1970: 951_782_400)) == "Tue, 29 Feb 2000 00:00:00 GMT")
        #expect(HTTPDate.date("Thu, 01 Jan 1970 00:00:00 GMT") == Date(timeIntervalSince1970: 0))
    }

    @Test("HTTP dates of forty years are read back unchanged")
    func calendar() {
        for day in 0..<14_610 {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 3661)
            #expect(HTTPDate.date(HTTPDate.text(date)) == date)
        }
    }

    @Test(
        "Text that is not an HTTP date is not read",
        arguments: [
            "", "Sun, 06 Nov 1994 08:49:37", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1969 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
            "Son, 06 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        ]
    )
    func noDates(text: String) { #expect(HTTPDate.date(text) == nil) }

    @Test("Before the first response the device's time is used")
    func unknown() {
        let clock = ServerClock(Device(wrongBy: 840).clock)
        #expect(clock.offset == nil)
        #expect(clock.now.timeIntervalSince1970 == Self.start + 840)
    }

    @Test("A device that is 14 minutes fast is corrected, and the offset is reported")
    func fast() throws {
        let device = Device(wrongBy: 840)
        let clock = ServerClock(device.clock)
        clock.observe(answer(at: Self.start), to: .post, sent: 1000)
        #expect(abs(clock.now.timeIntervalSince1970 - Self.start) < 1)
        #expect(try #require(clock.offset).description == "The clock of this device is 14 minutes fast.")
    }

    @Test("A clock difference within the measurement's accuracy is ignored")
    func insignificant() {
        let clock = ServerClock(Device(wrongBy: 4).clock)
        clock.observe(answer(at: Self.start), to: .post, sent: 1000)
        #expect(clock.now.timeIntervalSince1970 == Self.start + 4)
    }

    @Test("A clock difference beyond the bound is reported and not corrected")
    func bound() throws {
        let clock = ServerClock(Device(wrongBy: 3700).clock, maximumCorrection: .seconds(3600))
        clock.observe(answer(at: Self.start), to: .post, sent: 1000)
        #expect(clock.now.timeIntervalSince1970 == Self.start + 3700)
        #expect(try #require(clock.offset).isSignificant)
    }

    @Test("Setting the device's clock while it runs changes nothing")
    func set() {
        let device = Device()
        let clock = ServerClock(device.clock)
        clock.observe(answer(at: Self.start), to: .post, sent: 1000)
        device.set(forward: -7200)
        device.pass(60)
        #expect(abs(clock.now.timeIntervalSince1970 - (Self.start + 60)) < 1)
    }

    @Test("An outlier among five responses does not move the clock")
    func median() {
        let clock = ServerClock(Device(wrongBy: 600).clock)
        for time in [Self.start, Self.start, Self.start + 50_000, Self.start, Self.start] {
            clock.observe(answer(at: time), to: .post, sent: 1000)
        }
        #expect(abs(clock.now.timeIntervalSince1970 - Self.start) < 1)
    }

    @Test(
        "After a pause that stopped the uptime, one answer is enough to know the time again",
        arguments: [60.0, 28_800]
    )
    func paused(_ seconds: Double) {
        let device = Device()
        let clock = ServerClock(device.clock)
        for _ in 0..<5 { clock.observe(answer(at: Self.start), to: .post, sent: 1000) }
        device.pause(seconds)
        #expect(abs(clock.now.timeIntervalSince1970 - Self.start) < 1)
        clock.observe(answer(at: Self.start + seconds), to: .post, sent: 1000)
        #expect(abs(clock.now.timeIntervalSince1970 - (Self.start + seconds)) < 1)
        #expect(clock.offset.map { !$0.isSignificant } == true)
    }

    @Test(
        "After a pause of hours, one answer puts a device right that is always ten minutes fast or slow",
        arguments: [600.0, -600]
    )
    func pausedWhileWrong(by difference: Double) {
        let device = Device(wrongBy: difference)
        let clock = ServerClock(device.clock)
        for _ in 0..<5 { clock.observe(answer(at: Self.start), to: .post, sent: 1000) }
        device.pause(28_800)
        clock.observe(answer(at: Self.start + 28_800), to: .post, sent: 1000)
        #expect(abs(clock.now.timeIntervalSince1970 - (Self.start + 28_800)) < 1)
    }

    @Test("After a pause in which a wrong clock was put right, one answer is enough to know the time again")
    func putRight() {
        let device = Device(wrongBy: 600)
        let clock = ServerClock(device.clock)
        for _ in 0..<5 { clock.observe(answer(at: Self.start), to: .post, sent: 1000) }
        device.pause(28_800)
        device.set(forward: -600)
        clock.observe(answer(at: Self.start + 28_800), to: .post, sent: 1000)
        #expect(abs(clock.now.timeIntervalSince1970 - (Self.start + 28_800)) < 1)
    }

    @Test("A device clock that is set wrong does not discard earlier responses")
    func setWrong() {
        let device = Device()
        let clock = ServerClock(device.clock)
        for _ in 0..<3 { clock.observe(answer(at: Self.start), to: .post, sent: 1000) }
        device.set(forward: 7200)
        // The odd answer is neither the time of before nor the one that the device shows.
        clock.observe(answer(at: Self.start + 50_000), to: .post, sent: 1000)
        #expect(abs(clock.now.timeIntervalSince1970 - Self.start) < 1)
    }

    @Test("A response that no cache can have stored outweighs all that a cache may have stored")
    func cached() {
        let clock = ServerClock(Device().clock)
        for _ in 0..<3 { clock.observe(answer(at: Self.start - 600), to: .get, sent: 1000) }
        #expect(abs(clock.now.timeIntervalSince1970 - (Self.start - 600)) < 1)
        clock.observe(answer(at: Self.start), to: .post, sent: 1000)
        clock.observe(answer(at: Self.start - 600), to: .get, sent: 1000)
        #expect(abs(clock.now.timeIntervalSince1970 - Self.start) < 1)
    }

    @Test("Responses that a cache may have stored displace none that no cache can have stored")
    func kept() {
        let clock = ServerClock(Device().clock)
        clock.observe(answer(at: Self.start), to: .post, sent: 1000)
        for _ in 0..<5 { clock.observe(answer(at: Self.start - 600), to: .get, sent: 1000) }
        #expect(abs(clock.now.timeIntervalSince1970 - Self.start) < 1)
    }

    @Test("A cached response, a slow one and one without a date do not set the clock")
    func ignored() {
        let device = Device(wrongBy: 600)
        let clock = ServerClock(device.clock)
        clock.observe(answer(at: Self.start, [.age: "1"]), to: .post, sent: 1000)
        clock.observe(answer(at: Self.start), to: .post, sent: 1000 - 10.5)
        clock.observe(EndpointResponse(), to: .post, sent: 1000)
        #expect(clock.offset == nil)
    }

    @Test(
        "A clock offset is described in words",
        arguments: [
            (0, "The clock of this device is right."), (-6, "The clock of this device is 6 seconds slow."),
            (60, "The clock of this device is 1 minute fast."), (-7200, "The clock of this device is 2 hours slow."),
            (86_400, "The clock of this device is 1 day fast."),
        ] as [(Int, String)]
    )
    func words(seconds: Int, sentence: String) {
        #expect(ServerClock.Offset(lead: .seconds(seconds)).description == sentence)
        #expect(!ServerClock.Offset(lead: .seconds(Int64.max)).description.isEmpty)
    }
}
