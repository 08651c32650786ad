import ArgumentParser
import Foundation
import Ostiary
import OstiaryCurity
import OstiaryOAuth

/// `ostiary logi token` and `ostiary curity token`: an access token, renewed first when it would not last a minute.
struct FrontDoorToken<Door: FrontDoor>: SessionCommand where Door.Kept: RenewableSession {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: "token", abstract: "Print a valid access token.")
    }

    @Flag(help: "Refresh the token first in any case.")
    var renew = false

    @Option(help: "The form in which the token is printed.")
    var format: TokenFormat = .raw

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    mutating func validate() throws {
        if format == .json { output.json = true }
        if output.json, ![.raw, .json].contains(format) {
            throw ValidationError("--json cannot be combined with --format \(format.rawValue).")
        }
    }

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        try await Door.withSession(of: place, telling: trace) { _, session in
            if renew { try await session.refresh() }
            let token = try await session.lastingAccessToken()
            return try Answer(token, until: session.accessTokenExpiry, as: format)
        }
    }
}

/// A session with one access token.
protocol RenewableSession {
    var accessTokenExpiry: Date? { get }
    @discardableResult
    func refresh() async throws(SignInError) -> Secret
    /// The access token, renewed first when it would not last.
    func lastingAccessToken() async throws(SignInError) -> Secret
}

extension Session: RenewableSession {
    func lastingAccessToken() async throws(SignInError) -> Secret { try await accessToken() }
}

extension CuritySession: RenewableSession {
    func lastingAccessToken() async throws(SignInError) -> Secret { try await accessToken() }
}
