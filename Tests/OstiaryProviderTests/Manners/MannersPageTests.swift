import Foundation
import OstiaryProvider
import Testing

@Suite("Page of manners")
struct MannersPageTests {
    private static let project = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test(
        "A described provider names a source for each manner that differs from the strict provider",
        arguments: ProviderManners.all
    )
    func sources(_ manners: ProviderManners) {
        let own = Manner.allCases.filter { $0.text(in: manners) != $0.text(in: .strict) }
        #expect(Set(manners.sources.keys) == Set(own))
        for source in manners.sources.values where !source.hasPrefix("https://") {
            #expect(FileManager.default.fileExists(atPath: Self.project.appending(path: source).path), "\(source)")
        }
    }

    @Test("A described provider is found by its unique name")
    func names() {
        let names = ProviderManners.all.map(\.name)
        #expect(names == Set(names).sorted())
        for name in names { #expect(ProviderManners.named(name)?.name == name) }
        #expect(ProviderManners.named("strict") == nil)
    }

    /// `OSTIARY_WRITE_DOCUMENTS` writes the page instead of comparing it.
    @Test("The tables in docs/manners.md match the described providers")
    func page() throws {
        let page = Self.page
        let file = Self.project.appending(path: "docs/manners.md")
        if ProcessInfo.processInfo.environment["OSTIARY_WRITE_DOCUMENTS"] != nil {
            try Data(page.utf8).write(to: file)
        }
        let written = try? String(contentsOf: file, encoding: .utf8)
        #expect(written == page, "Run `make documents` and look at what changed.")
    }

    private static var page: String {
        var lines = [
            "# Manners of providers",
            "",
            "The development provider can behave like another provider: `ostiary idp serve --like keycloak`, or",
            "`ProviderConfiguration.manners = .keycloak` in a test. The values are `ProviderManners` in `OstiaryProvider`. A table",
            "lists the differences between a provider and the strict one. A fact without a public source is in no table: there",
            "the development provider stays strict, even if the real provider differs.",
            "",
            "A scenario applies on top of the manners: it may change a manner, and its other changes come last. The refresh",
            "simulation and the conformance modules run under each of these values (`SimulationTests`, `MannersTests`).",
            "",
            "A test run writes this page from the values (`make documents`). A source is a page of the vendor, an issue of a",
            "project that uses the provider, or a [recording](recordings.md) of it.",
            "",
            "| `--like` | Provider | Issuer |",
            "|---|---|---|",
        ]
        lines += ProviderManners.all.map {
            "| [`\($0.name)`](#\($0.name)) | \($0.title) | \(Manner.issuerPath.text(in: $0)) |"
        }
        for manners in ProviderManners.all {
            lines += ["", "## \(manners.name)", "", "| Manner of \(manners.title) | Value | Source |", "|---|---|---|"]
            for manner in Manner.allCases {
                guard let source = manners.sources[manner] else { continue }
                lines.append("| \(manner.title) | \(manner.text(in: manners)) | \(link(to: source)) |")
            }
        }
        lines += ["", "## The strict provider", "", "| Manner | Value |", "|---|---|"]
        lines += Manner.allCases.map { "| \($0.title) | \($0.text(in: .strict)) |" }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func link(to source: String) -> String {
        guard !source.hasPrefix("https://") else { return "<\(source)>" }
        let name = source.hasPrefix("docs/") ? String(source.dropFirst("docs/".count)) : "../\(source)"
        let label = source.hasSuffix(".jsonl") ? source.split(separator: "/").suffix(2).joined(separator: "/") : source
        return "[\(label)](\(name))"
    }
}
