import ArgumentParser
import Foundation
import Ostiary
import OstiaryCurity
import OstiaryOAuth

/// `ostiary logi token` and `ostiary curity token`: an access token, renewed first when it would not last a minute.
struct FrontDoorToken<Door: FrontDoor>: SessionCommand where Door.Kept: RenewableSession {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: "token", abstract: "Print an access token that is good for a while.")
    }

    @Flag(help: "Renew the token, whether or not it would last.")
    var renew = false

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        try await Door.withSession(of: place, telling: trace) { _, session in
            if renew { try await session.refresh() }
            return Answer(try await session.lastingAccessToken(), until: session.accessTokenExpiry)
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
