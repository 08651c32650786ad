public import Foundation
import HTTPTypes
public import Ostiary

/// A command for a service that keeps letters: it signs in once, and is signed in from then on.
public struct Postbox: Sendable {
    /// A word of the command line.
    public enum Word: String, CaseIterable, Sendable {
        case signIn = "sign-in"
        case who
        case letters
        case signOut = "sign-out"
    }

    private let client: SignInClient
    private let letters: URL

    /// Makes a command.
    ///
    /// - Parameters:
    ///   - client: Signs in, and keeps the session.
    ///   - letters: The address of the letters; its origin is one of the client's `resourceOrigins`.
    public init(client: SignInClient, letters: URL) {
        self.client = client
        self.letters = letters
    }

    /// Does what a word says, and returns what there is to print.
    ///
    /// - Throws: `signInRequired` for everything but `sign-in` when no user is signed in; otherwise the failure, and the
    ///   session is kept.
    public func run(_ word: Word) async throws(SignInError) -> String {
        switch word {
        case .signIn: return try await greeting(try await client.signIn())
        case .who: return try await greeting(try await session())
        case .letters: return try await answer(try await session())
        case .signOut: return farewell(try await session().signOut(.revoke))
        }
    }

    private func session() async throws(SignInError) -> Session {
        guard let session = try await client.restoreSession() else { throw SignInError(.refresh, .signInRequired) }
        return session
    }

    private func greeting(_ session: Session) async throws(SignInError) -> String {
        let person = try await session.userInfo()
        return "You are \(person.name ?? person.subject)."
    }

    /// The access token is renewed when that is due, and goes to the letters' origin alone.
    private func answer(_ session: Session) async throws(SignInError) -> String {
        let response = try await session.data(for: EndpointRequest(url: letters))
        guard response.status == .ok else { throw SignInError(.resource, .server(status: response.status.code)) }
        return String(decoding: response.body, as: UTF8.self)
    }

    private func farewell(_ report: SignOutReport) -> String {
        guard report.revocationFailure == nil else { return "You are signed out here; the provider was not told yet." }
        return "You are signed out."
    }
}
