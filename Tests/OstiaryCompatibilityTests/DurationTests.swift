import OstiaryCompatibility
import Testing

@Suite("Durations of outside numbers")
struct DurationTests {
    private static let century = Duration.seconds(3_153_600_000)

    @Test(
        "A number of seconds that no clock can hold becomes a century, and one that is no number becomes zero",
        arguments: [
            (Double.nan, .zero), (.infinity, century), (-.infinity, century * -1),
            (1e300, century), (-1e300, century * -1),
            (.greatestFiniteMagnitude, century), (3600, .seconds(3600)), (-0.5, .milliseconds(-500)),
        ] as [(Double, Duration)]
    )
    func bounded(_ seconds: Double, _ expected: Duration) { #expect(Duration(boundedSeconds: seconds) == expected) }

    @Test("A duration in seconds is exact for whole numbers, and limited to a century")
    func inSeconds() {
        for seconds in [0, 1, 59, 86_399, 2_592_000, 31_536_001, 3_153_599_999] {
            #expect(Duration.seconds(seconds).inSeconds == Double(seconds))
            #expect(Duration.seconds(-seconds).inSeconds == Double(-seconds))
        }
        #expect(Duration.milliseconds(100).inSeconds == 0.1 && Duration.milliseconds(-2500).inSeconds == -2.5)
        #expect(Duration.seconds(Int64.max).inSeconds == 3_153_600_000)
        #expect(Duration(secondsComponent: .min, attosecondsComponent: 0).inSeconds == -3_153_600_000)
    }
}
