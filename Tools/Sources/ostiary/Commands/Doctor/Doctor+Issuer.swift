import ArgumentParser
import Foundation
import HTTPTypes
import IssuerDoctor
import OstiaryJOSE
import OstiaryOAuth

extension IssuerProfile: ExpressibleByArgument {}

/// The lowest grade of a finding that makes the command fail.
enum FailureGrade: String, ExpressibleByArgument, CaseIterable, Sendable {
    case note, warning, error

    fileprivate var grade: IssuerFinding.Grade {
        switch self {
        case .note: .note
        case .warning: .warning
        case .error: .error
        }
    }
}

extension Doctor {
    /// Fetches an issuer's metadata and key set, and judges them.
    ///
    /// - Throws: `transport` at stage `discovery` when the issuer does not answer; ``IssuerProblems`` inside a
    ///   ``TracedFailure`` for findings from the grade of `--fail-on` on.
    func examine(_ issuer: Issuer, on console: Console) async throws -> Answer {
        let answers = try await IssuerAnswers(of: issuer)
        if let failure = answers.failure { throw SignInError(.discovery, .transport(failure)) }
        let report = IssuerReport(on: answers, against: Set(against))
        let text = report.lines.map { $0.printable + "\n" }.joined()
        let grade = (failOn ?? .error).grade
        guard report.count(from: grade) > 0 else { return Answer(members: report.members, text: text) }
        if !output.json { try console.print(text) }
        throw TracedFailure(
            cause: IssuerProblems(issuer: issuer, grade: grade, count: report.count(from: grade)),
            members: report.members
        )
    }
}

extension IssuerAnswers {
    /// Fetches both metadata documents, and the key set of the one that names it.
    fileprivate init(of issuer: Issuer) async throws {
        async let openIDConnect = Self.document(.openIDConnect, of: issuer)
        async let oauth = Self.document(.oauth, of: issuer)
        let documents = [try await openIDConnect, try await oauth].compactMap(\.self)
        var keySet: Answer?
        // The library's reading of the metadata refuses URLs that nothing may be sent to.
        let servers = documents.compactMap { document -> AuthorizationServer? in
            guard let response = try? document.answer.get() else { return nil }
            return try? ServerMetadataRequest(issuer, form: document.form).output(from: response)
        }
        if let server = servers.first(where: { $0.jwksURI != nil }) {
            var fresh = Freshness(now: .now, random: SystemRandomNumberGenerator())
            keySet = try await Self.answer(to: try KeySetRequest(server).request(&fresh))
        }
        self.init(issuer, documents, keySet: keySet)
    }

    private static func document(_ form: ServerMetadataRequest.Form, of issuer: Issuer) async throws -> Document? {
        let discovery = ServerMetadataRequest(issuer, form: form)
        guard let url = discovery.url else { return nil }
        var fresh = Freshness(now: .now, random: SystemRandomNumberGenerator())
        return Document(form, at: url.absoluteString, try await answer(to: try discovery.request(&fresh)))
    }

    /// Sends one request.
    ///
    /// - Throws: `cancelled` alone: every other failure is an answer.
    private static func answer(to request: EndpointRequest) async throws(SignInError) -> Answer {
        do throws(TransportFailure) {
            return .success(try await commandTransport.send(request))
        } catch {
            guard error != .cancelled else { throw SignInError(.discovery, .transport(.cancelled)) }
            return .failure(error)
        }
    }
}

/// An issuer with findings of a grade that makes the command fail.
struct IssuerProblems: Error, CustomStringConvertible {
    let issuer: Issuer
    let grade: IssuerFinding.Grade
    let count: Int

    var description: String {
        let noun = grade == .error ? "error" : grade == .warning ? "warning or error" : "finding"
        let plural = count == 1 ? noun : grade == .warning ? "warnings and errors" : noun + "s"
        return "\(issuer.description) has \(count) \(plural)."
    }
}
