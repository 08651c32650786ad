import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import ProviderServer

extension ExplainedError {
    /// A profile without a sign-in through a front door.
    ///
    /// `isConfigured` says whether the profile remembers the settings of an earlier sign-in.
    fileprivate init(notSignedIn place: SessionOptions, through system: VendorSystem, isConfigured: Bool) {
        let isRegistering = system == .curity && CommandArguments.current.dropFirst().first == "login"
        let verb = isRegistering ? "register" : "login"
        let line = LoginLine.shell(["ostiary", system.rawValue, verb] + place.arguments)
        self.init(
            SignInError(.storage, .signInRequired),
            isRegistering
                ? "No client is registered for \(system.rawValue) (profile \"\(place.profile)\")."
                : "Not signed in through \(system.rawValue) (profile \"\(place.profile)\").",
            advice: isConfigured ? "Run: \(line)" : "Run it with your settings, which are in its help: \(line) --help"
        )
        endsQuietly = true
    }
}

/// A vendor's front door, as a profile signed in through it.
protocol FrontDoor {
    /// The stored value of a sign-in.
    associatedtype Kept

    static var system: VendorSystem { get }

    /// Makes the front door from the configuration of the last sign-in.
    init(
        _ place: FrontDoorPlace,
        _ configuration: JSONObject,
        showing userAgent: any UserAgent,
        telling trace: Trace
    ) throws

    /// The stored session, if there is one.
    func restored() async throws -> Kept?
}

extension FrontDoor {
    /// Uses the front door of a profile.
    ///
    /// - Throws: `signInRequired` when no user signed in through it; the error of the use.
    static func open<Output>(
        _ options: SessionOptions,
        showing userAgent: any UserAgent = NoUserAgent(),
        telling trace: Trace,
        _ use: (Self) async throws -> Output
    ) async throws -> Output {
        let place = FrontDoorPlace(options, of: system)
        guard try await place.isConfigured() else {
            throw ExplainedError(notSignedIn: options, through: system, isConfigured: false)
        }
        return try await use(Self(place, try await place.configuration(), showing: userAgent, telling: trace))
    }

    /// Uses the session of a profile.
    ///
    /// - Throws: `signInRequired` when there is none; the error of the use.
    static func withSession<Output>(
        of options: SessionOptions,
        showing userAgent: any UserAgent = NoUserAgent(),
        telling trace: Trace,
        _ use: (Self, Kept) async throws -> Output
    ) async throws -> Output {
        try await open(options, showing: userAgent, telling: trace) { door in
            guard let session = try await door.restored() else {
                throw ExplainedError(notSignedIn: options, through: system, isConfigured: true)
            }
            return try await use(door, session)
        }
    }

    /// Ends the session of a profile; a profile without one has signed out already, and the command succeeds.
    ///
    /// `nothing` holds the members of the answer for such a profile.
    static func signOut(
        of options: SessionOptions,
        showing userAgent: any UserAgent = NoUserAgent(),
        telling trace: Trace,
        orAnswer nothing: JSONObject = Answer.nothingToEnd,
        _ end: (Self, Kept) async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await withSession(of: options, showing: userAgent, telling: trace, end)
        } catch let error as ExplainedError where error.endsQuietly {
            return Answer(alreadySignedOut: options.profile, members: nothing)
        }
    }
}
