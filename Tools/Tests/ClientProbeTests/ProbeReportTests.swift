import ClientProbe
import Foundation
import OstiaryJOSE
import OstiaryProvider
import Testing

@Suite("The cases and the report of a probe")
struct ProbeReportTests {
    @Test("Every scenario of the provider is played by the probe or has a reason not to be")
    func complete() {
        let played = Set(ProbeCase.all.map(\.name))
        let all = Set(Scenario.all.map(\.name))
        #expect(played.union(ProbeCase.notPlayed.keys) == all)
        #expect(played.intersection(ProbeCase.notPlayed.keys).isEmpty)
        #expect(ProbeCase.all.count == played.count)
        #expect(ProbeCase.all.first?.name == Scenario.none.name)
    }

    @Test("The probe's page lists every case in the code's order")
    func documentation() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/probe.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").map(String.init)
        let rows = lines.filter { $0.hasPrefix("| `") }
        let expected = ProbeCase.all.map { probe in
            "| `\(probe.name)` | \(probe.part.rawValue) | \(probe.expectation.rawValue) | \(probe.fault) | \(probe.source) |"
        }
        #expect(rows == expected)
    }

    private static func result(
        _ name: String,
        _ end: ProbeEnd,
        reached: Bool = true
    ) throws -> ProbeResult {
        let probe = try #require(ProbeCase.named(name))
        let watch = ProbeWatch()
        if reached {
            // A metadata document that the scenario changes.
            let scenario = watch.watching(Scenario(name: "faulty") { $0.metadata = { $0["issuer"] = "other" } })
            var metadata: JSONObject = ["issuer": "https://id.example.com"]
            scenario.metadata(&metadata)
            #expect(metadata["issuer"] == "other")
        }
        return ProbeResult(probe, end, seen: watch, seconds: 0.25)
    }

    @Test("A verdict follows from the expectation, the end of the client and whether the fault was sent")
    func verdicts() throws {
        let required = "missing-exp"
        let recommended = "empty-sub"
        let harmless = "unknown-members"
        #expect(try Self.result(required, .exited(0)).verdict == .accepted)
        #expect(try Self.result(required, .answered(302)).verdict == .accepted)
        #expect(try Self.result(recommended, .exited(0)).verdict == .lenient)
        for end: ProbeEnd in [.exited(1), .signaled(11), .timedOut, .answered(400), .startedAgain, .noRedirect] {
            #expect(try Self.result(required, end).verdict == .refused)
            #expect(try Self.result(harmless, end).verdict == .intolerant)
        }
        #expect(try Self.result(harmless, .exited(0), reached: false).verdict == .tolerated)
        #expect(try Self.result(required, .exited(0), reached: false).verdict == .notReached)
    }

    @Test("Accepted faults fail a probe, and with strict the lenient and intolerant results as well")
    func failures() throws {
        let results = [
            try Self.result("missing-exp", .exited(0)), try Self.result("empty-sub", .exited(0)),
            try Self.result("unknown-members", .exited(1)), try Self.result("expired-exp", .exited(1)),
        ]
        #expect(ProbeReport(results, parts: [.signIn], strictly: false).failures == 1)
        #expect(ProbeReport(results, parts: [.signIn], strictly: true).failures == 3)
    }

    @Test("JUnit XML has a failure for an accepted fault, skips what was not reached, and escapes its texts")
    func junit() throws {
        let results = [
            try Self.result("missing-exp", .exited(0)), try Self.result("expired-exp", .exited(0), reached: false),
            try Self.result("device-missing-interval", .exited(0)),
        ]
        let xml = ProbeReport(results, parts: [.signIn], strictly: false).junit
        #expect(xml.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"))
        #expect(xml.contains("<testsuite name=\"ostiary probe\" tests=\"3\" failures=\"1\" skipped=\"1\">"))
        #expect(
            xml.contains(
                """
                <testcase name="missing-exp" classname="sign-in" time="0.250">\
                <failure type="accepted" message="accepted: exit status 0">The ID token has no exp.
                """
            )
        )
        #expect(xml.contains("<testcase name=\"expired-exp\" classname=\"sign-in\" time=\"0.250\"><skipped/>"))
    }
}
