import Foundation
import IssuerDoctor
import OstiaryJOSE
import OstiaryOAuth
import Testing

@Suite("The rules for an issuer")
struct IssuerRuleTests {
    @Test("A correct issuer meets every rule of every profile")
    func good() throws {
        let findings = try GoodIssuer().report(against: Set(IssuerProfile.allCases)).findings
        #expect(findings.filter { $0.grade != .ok } == [])
        #expect(Set(findings.map(\.rule)).count == findings.count)
    }

    @Test(
        "A faulty issuer breaks one rule, with its grade, its source and a fix",
        arguments: IssuerCase.all
    )
    func broken(_ example: IssuerCase) throws {
        var issuer = GoodIssuer()
        example.change(&issuer)
        let broken = try issuer.report(against: example.profiles).findings.filter { $0.grade != .ok }
        #expect(Set(broken.map(\.rule)) == [example.rule], "\(broken.map(\.message))")
        let finding = try #require(broken.first { $0.rule == example.rule })
        #expect(finding.grade == example.grade)
        #expect(finding.fix?.isEmpty == false)
        #expect(finding.source == IssuerRule.all.first { $0.name == example.rule }?.source)
    }

    @Test("Every issuer rule has a case that breaks it")
    func cases() {
        #expect(Set(IssuerCase.all.map(\.rule)) == Set(IssuerRule.all.map(\.name)))
    }

    @Test("The two metadata documents may list members in another order")
    func order() throws {
        var issuer = GoodIssuer()
        issuer.oauth = GoodIssuer.Response()
        issuer.oauthMetadata["id_token_signing_alg_values_supported"] = ["RS256", "ES256"]
        #expect(try issuer.report().findings.filter { $0.grade != .ok } == [])
    }

    @Test("An issuer of OAuth alone needs no member of OpenID Connect")
    func oauth() throws {
        var issuer = GoodIssuer()
        issuer.openIDConnect = GoodIssuer.Response(status: 404)
        issuer.oauth = GoodIssuer.Response()
        for name in [
            "jwks_uri", "subject_types_supported", "id_token_signing_alg_values_supported", "end_session_endpoint",
        ] { issuer.oauthMetadata[name] = nil }
        issuer.oauthMetadata["scopes_supported"] = ["read"]
        #expect(try issuer.report().findings.filter { $0.grade > .note } == [])
    }

    @Test(
        "A correct issuer that is unlike the usual one has no finding above a note",
        arguments: IssuerVariant.all
    )
    func correct(_ variant: IssuerVariant) throws {
        var issuer = GoodIssuer()
        variant.change(&issuer)
        let findings = try issuer.report(against: variant.profiles).findings.filter { $0.grade > .note }
        #expect(findings == [])
    }

    @Test("The other document is not judged where it is a page")
    func page() throws {
        var issuer = GoodIssuer()
        issuer.oauth = GoodIssuer.Response(body: "<h1>Welcome</h1>")
        issuer.oauth.set("Content-Type", "text/html")
        #expect(try issuer.report().findings.filter { $0.grade != .ok } == [])
    }

    @Test("An issuer without metadata is a failure, and a redirecting issuer is not")
    func failure() throws {
        let issuer = try Issuer("https://id.example.com")
        func answers(_ failures: TransportFailure...) -> IssuerAnswers {
            IssuerAnswers(issuer, failures.map { .init(.openIDConnect, at: "https://id.example.com", .failure($0)) })
        }
        #expect(answers(.unreachable, .unreachable).failure == .unreachable)
        #expect(answers(.redirectRefused, .redirectRefused).failure == nil)
        #expect(answers(.redirectRefused, .unreachable).failure == nil)
    }

    @Test("The issuer doctor's page lists every rule in the code's order")
    func documentation() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/issuer-doctor.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").map(String.init)
        let rows = lines.filter { $0.hasPrefix("| `") }
        let expected = IssuerRule.all.map { rule in
            let raised = IssuerProfile.allCases.compactMap { profile in
                rule.raised[profile].map { "\($0.rawValue) (\(profile.rawValue))" }
            }
            let grades = [rule.grade?.rawValue].compactMap(\.self) + raised
            return "| `\(rule.name)` | \(grades.joined(separator: ", ")) | \(rule.title) | \(rule.source) |"
        }
        #expect(rows == expected)
    }
}
