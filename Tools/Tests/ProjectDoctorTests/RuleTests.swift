import ProjectDoctor
import Testing

@Suite("The rules of the doctor")
struct RuleTests {
    static let cases: [RuleCase] =
        RuleCase.reading + RuleCase.schemes + RuleCase.redirects + RuleCase.domains + RuleCase.association
        + RuleCase.queries + RuleCase.delivery + RuleCase.session + RuleCase.keychain + RuleCase.biometry
        + RuleCase.macOS
        + RuleCase.network + RuleCase.secrets + RuleCase.platforms + RuleCase.privacy + RuleCase.systems

    @Test("The sample project has no finding")
    func good() throws {
        #expect(try Sample().project.findings == [])
    }

    @Test("A faulty project has one finding at its place, with the fix", arguments: cases)
    func finding(_ example: RuleCase) throws {
        var sample = try Sample()
        try example.change(&sample)
        let findings = sample.project.findings.filter { $0.rule == example.rule }
        let found = findings.map { Spot(file: $0.place.file, line: $0.place.line, key: $0.place.key) }
        let expected = try example.spots.map { spot in
            Spot(file: spot.file, line: try spot.on.map { try sample.line(of: $0, in: spot.file) }, key: spot.key)
        }
        #expect(found == expected)
        if let fix = example.fix {
            #expect(findings.first?.fix?.contains(fix) == true, "\(findings.first?.fix ?? "none")")
        }
    }

    @Test("An unreadable property list is one finding, without guesses about its content")
    func unreadable() throws {
        var sample = try Sample()
        try sample.replace(Sample.info, "<key>NSAppTransportSecurity</key>", "<dict><broken>")
        #expect(sample.project.findings.map(\.rule) == ["list-unreadable"])
    }

    @Test("Every doctor rule has a case that it finds")
    func coverage() {
        #expect(Set(Rule.all.map(\.name)).subtracting(Self.cases.map(\.rule)).sorted() == [])
        #expect(Set(Self.cases.map(\.rule)).subtracting(Rule.all.map(\.name)).sorted() == [])
    }

    @Test("The doctor's rule names are unique")
    func names() {
        #expect(Set(Rule.all.map(\.name)).count == Rule.all.count)
    }
}

extension Sample {
    /// The number of the one line of a file that holds a text.
    func line(of text: String, in file: String?) throws -> Int {
        let lines = try #require(file.flatMap { self.text($0) }).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        let found = lines.indices.filter { lines[$0].contains(text) }
        try #require(found.count == 1, "\(text) is on \(found.count) lines")
        return found[0] + 1
    }
}
