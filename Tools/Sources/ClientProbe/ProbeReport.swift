package import OstiaryJOSE

/// The results of a probe, as text, as an object and as JUnit XML.
package struct ProbeReport: Sendable {
    package let results: [ProbeResult]
    /// The parts of the protocol that the client uses.
    package let parts: Set<ProbeCase.Part>
    private let isStrict: Bool

    /// With `isStrict` a fault that a client should refuse, and a refusal of something harmless, fail.
    package init(_ results: [ProbeResult], parts: Set<ProbeCase.Part>, strictly isStrict: Bool) {
        self.results = results
        self.parts = parts
        self.isStrict = isStrict
    }

    /// The number of results that fail the probe.
    package var failures: Int { results.count { $0.fails(strictly: isStrict) } }

    private func count(_ verdict: ProbeResult.Verdict) -> Int { results.count { $0.verdict == verdict } }

    /// The lines for the user.
    package var lines: [String] {
        var lines: [String] = []
        for verdict in ProbeResult.Verdict.allCases {
            let of = results.filter { $0.verdict == verdict }
            guard !of.isEmpty else { continue }
            lines += ["\(verdict.rawValue): \(verdict.meaning)"]
            let width = of.map(\.probe.name.count).max() ?? 0
            for result in of {
                let name = result.probe.name + String(repeating: " ", count: width - result.probe.name.count)
                let isFault = [.accepted, .lenient, .intolerant].contains(verdict)
                lines.append("  \(name)  \(result.probe.fault)" + (isFault ? " (\(result.probe.source))" : ""))
            }
            lines.append("")
        }
        let counts = ProbeResult.Verdict.allCases.map { "\(count($0)) \($0.rawValue)" }
        return lines + [counts.joined(separator: ", ") + "."]
    }

    /// The members of the output for programs.
    package var members: JSONObject {
        var counts = JSONObject()
        for verdict in ProbeResult.Verdict.allCases { counts[verdict.rawValue] = .integer(count(verdict)) }
        return [
            "schema": 1,
            "counts": .object(counts),
            "uses": .array(ProbeCase.Part.allCases.filter(parts.contains).map { .string($0.rawValue) }),
            "results": .array(results.map { .object($0.object) }),
        ]
    }

    /// The results as JUnit XML, which CI systems show.
    package var junit: String {
        let skipped = count(.notReached)
        var xml = """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites>
            <testsuite name="ostiary probe" tests="\(results.count)" failures="\(failures)" skipped="\(skipped)">

            """
        for result in results {
            let name = "name=\"\(result.probe.name.inXML)\" classname=\"\(result.probe.part.rawValue.inXML)\""
            xml += "<testcase \(name) time=\"\(result.seconds.inThousandths)\">"
            let text = "\(result.probe.fault) \(result.probe.source)".inXML
            if result.fails(strictly: isStrict) {
                let words = "\(result.verdict.rawValue): \(result.end.words)".inXML
                xml += "<failure type=\"\(result.verdict.rawValue)\" message=\"\(words)\">\(text)</failure>"
            } else if result.verdict == .notReached {
                xml += "<skipped/>"
            } else {
                xml += "<system-out>\(result.verdict.rawValue): \(text)</system-out>"
            }
            xml += "</testcase>\n"
        }
        return xml + "</testsuite>\n</testsuites>\n"
    }
}

extension ProbeResult {
    fileprivate var object: JSONObject {
        [
            "scenario": .string(probe.name),
            "part": .string(probe.part.rawValue),
            "verdict": .string(verdict.rawValue),
            "expectation": .string(probe.expectation.rawValue),
            "fault": .string(probe.fault),
            "source": .string(probe.source),
            "end": .string(end.words),
            "usedToken": .bool(usedToken),
        ]
    }
}

extension ProbeResult.Verdict {
    fileprivate var meaning: String {
        switch self {
        case .accepted: "faults that the client must refuse"
        case .lenient: "faults that the client accepted and should refuse"
        case .intolerant: "harmless responses that the client refused"
        case .refused: "faults that the client refused"
        case .tolerated: "harmless responses that the client accepted"
        case .notReached: "faults that the client did not request"
        }
    }
}

extension Double {
    fileprivate var inThousandths: String {
        let thousandths = Int((self * 1000).rounded())
        let rest = String(thousandths % 1000)
        return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }
}

extension String {
    /// The text inside an attribute or an element.
    fileprivate var inXML: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
