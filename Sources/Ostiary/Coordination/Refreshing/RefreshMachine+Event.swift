package import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RefreshMachine {
    /// An event from the coordinator.
    package enum Event: Sendable {
        case asked(Caller)
        /// A caller went away.
        case cancelled(Int)
        case locked
        case lockRefused(StorageFailure)
        case read(Record?)
        case readFailed(SignInError)
        case swapped(Swap)
        case answered(Answer)
        /// The result of checking an unchecked response.
        case checked(Answer)
        case rested
        case revoked
        /// The system will stop this process at once: a lock that is held then would make it end it.
        case suspending
        /// A caller has read the stored value.
        case noticed(Record)
        /// The user signs out, and the stored value is being removed.
        case signingOut
        /// It could not be removed.
        case signOutFailed
        /// The session has ended in this process.
        case sessionEnded(Session.End)
        /// A sign-in of this process has stored another session in its place.
        case replaced(Record)
    }

    /// The time of an event.
    package struct Moment: Sendable {
        /// The time by the server's clock, if it is known.
        package var reading: ClockReading
        /// Seconds that only go forward.
        package var uptime: Double
        /// A random number from 0 to 1.
        package var jitter: Double

        package init(_ reading: ClockReading, uptime: Double, jitter: Double) {
            self.reading = reading
            self.uptime = uptime
            self.jitter = jitter
        }

        /// The time alone.
        var now: Date { reading.date }
    }

    /// A caller that waits.
    package struct Caller: Sendable, Equatable {
        package var id: Int
        package var target: AccessTokenTarget
        package var need: Need

        package init(id: Int, target: AccessTokenTarget, need: Need) {
            self.id = id
            self.target = target
            self.need = need
        }
    }

    /// The need of a caller.
    package enum Need: Sendable, Equatable {
        /// A token that is valid for the given time.
        case lasting(TokenValidity)
        /// Another token than the caller's, even if that one looks valid.
        case other(than: Secret?)
    }

    /// The result of a conditional write.
    package enum Swap: Sendable, Equatable {
        case done
        /// Another value was stored, and has not been replaced; `nil` for none.
        case found(Record?)
        /// The store failed, and its value is unchanged.
        case failed(StorageFailure)
    }

    /// The result of a request.
    package enum Answer: Sendable, Equatable {
        case tokens(TokenSet)
        /// Tokens whose check takes another request, and the refresh token that they leave.
        case unchecked(RefreshSuccessor)
        /// Tokens that may not be handed out, and the refresh token that they leave.
        case rejected(SignInError, RefreshSuccessor)
        case failed(SignInError)
    }

    /// The time and number of automatic repetitions of a refresh whose response was lost.
    package struct Replay: Sendable, Equatable {
        /// Seconds from the first request on.
        package var window: Double
        /// The number of repetitions in one refresh.
        package var retries: Int

        package init(window: Double, retries: Int = 2) {
            self.window = window
            self.retries = retries
        }
    }
}

extension RefreshMachine {
    /// An action of the coordinator.
    package enum Action: Sendable, Equatable {
        // These take time and bring an event; one of them is in progress at a time.
        case lock
        case read
        /// Writes the second value, or removes for `nil`, if the first one is stored.
        case swap(Record, Record?)
        /// Requests an access token for a target with a refresh token.
        case send(Record, Secret, AccessTokenTarget)
        case check
        case rest(Double)
        /// Revokes tokens that no caller will use.
        case revoke(TokenSet)
        // These are done at once.
        case unlock
        case answer(Int, Result<TokenSet, SignInError>)
        case refreshed
        /// A refresh failed, and no caller got the error.
        case failed(SignInError)
        /// The tokens are valid again, though this refresh did not request them.
        case recovered
        case ended(Session.End)
    }
}
