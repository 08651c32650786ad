import ProjectDoctor
import Testing

@Suite("The rules of the doctor")
struct RuleTests {
    static let cases: [RuleCase] =
        RuleCase.reading + RuleCase.schemes + RuleCase.redirects + RuleCase.domains + RuleCase.association
        + RuleCase.queries + RuleCase.delivery + RuleCase.session + RuleCase.keychain + RuleCase.biometry
        + RuleCase.macOS
        + RuleCase.network + RuleCase.secrets + RuleCase.platforms + RuleCase.privacy + RuleCase.systems

    @Test("In the good project nothing is found")
    func good() throws {
        #expect(try Sample().project.findings == [])
    }

    @Test("A change is found where it was made, with what to write", arguments: cases)
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

    @Test("A property list that cannot be read is one finding, without guesses about what it lacks")
    func unreadable() throws {
        var sample = try Sample()
        try sample.replace(Sample.info, "<key>NSAppTransportSecurity</key>", "<dict><broken>")
        #expect(sample.project.findings.map(\.rule) == ["list-unreadable"])
    }

    @Test("Every rule has a change that it finds")
    func coverage() {
        #expect(Set(Rule.all.map(\.name)).subtracting(Self.cases.map(\.rule)).sorted() == [])
        #expect(Set(Self.cases.map(\.rule)).subtracting(Rule.all.map(\.name)).sorted() == [])
    }

    @Test("Names of rules occur once")
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
