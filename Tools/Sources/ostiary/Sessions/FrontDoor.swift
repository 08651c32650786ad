import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import ProviderServer

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
            guard let session = try await door.restored() else { throw SignInError(.storage, .signInRequired) }
            return try await use(door, session)
        }
    }
}
