public import OstiaryOAuth

/// Checks that a transport keeps what every ``HTTPTransport`` promises, against a misbehaving server on this machine.
///
/// ```swift
/// try await HTTPTransportCheck { MyTransport() }.run()
/// ```
///
/// Each promise can be run on its own, as one test each. A run needs no network and takes a few seconds; the variable
/// `http_proxy` must not be set.
public struct HTTPTransportCheck: Sendable {
    private let makeTransport: @Sendable () -> any HTTPTransport

    /// Makes a check.
    ///
    /// - Parameter makeTransport: Called once for each promise.
    public init(makeTransport: @escaping @Sendable () -> any HTTPTransport) {
        self.makeTransport = makeTransport
    }

    /// Checks every promise, and stops at the first broken one.
    ///
    /// - Parameter exceptions: Promises that this transport is known not to keep.
    /// - Throws: Which promise is broken, and how.
    @discardableResult
    public func run(except exceptions: Set<Promise> = []) async throws(HTTPTransportCheckFailure) -> [Observation] {
        var observations: [Observation] = []
        for promise in Promise.allCases where !exceptions.contains(promise) {
            observations.append(try await run(promise))
        }
        return observations
    }

    /// Checks one promise.
    ///
    /// - Throws: How it is broken.
    @discardableResult
    public func run(_ promise: Promise) async throws(HTTPTransportCheckFailure) -> Observation {
        let trial = HTTPTransportTrial(of: promise, transport: makeTransport())
        let start = ContinuousClock.now
        let bytesWritten = try await trial.run()
        return Observation(promise: promise, duration: .now - start, bytesWritten: bytesWritten)
    }
}

extension HTTPTransportCheck {
    /// What a transport promises.
    public enum Promise: String, Sendable, Hashable, CaseIterable {
        /// Method, path, query and fields arrive as given.
        case sendsRequestAsGiven
        /// A form arrives byte for byte, with its media type.
        case sendsFormAsGiven
        /// Any other body arrives byte for byte, with its media type.
        case sendsContentAsGiven
        /// A HEAD request is answered, whatever length its answer announces.
        case sendsHead
        /// A GET or HEAD with a body fails as `invalidRequest`, and nothing is sent.
        case refusesBodyOfGet
        /// A URL that is not http or https fails as `insecureURL`.
        case refusesOtherSchemes
        /// The default User-Agent names no program, host or person.
        case revealsNothingInUserAgent
        /// Status and body are returned as sent, for success and for error.
        case returnsStatusAndBody
        /// A 401 with a Basic challenge is returned, not answered.
        case returnsChallenge
        /// Every value of a repeated field is returned, in order.
        case returnsRepeatedFields
        /// Several Set-Cookie fields are returned as several fields.
        case returnsSetCookieFieldsApart
        /// An interim answer, 1xx, is not taken for the answer.
        case skipsInterimAnswer
        /// Trailer fields after a body do no harm.
        case toleratesTrailerFields
        /// Fifty requests at once are each answered with their own answer.
        case answersManyAtOnce

        /// Redirects are returned, and not followed.
        case returnsRedirects
        /// A redirect without a Location is returned.
        case returnsRedirectWithoutLocation
        /// A cookie that was set is not sent.
        case keepsNoCookies
        /// An answer that may be cached is asked for again.
        case keepsNoCache

        /// A body of exactly the limit is returned.
        case acceptsBodyAtLimit
        /// A Content-Length over the limit fails as `tooLarge` at once.
        case refusesAnnouncedLargeBody
        /// A body over the limit fails as `tooLarge`, and is read no further.
        case stopsReadingLargeBody
        /// So does one in chunks.
        case stopsReadingLargeChunkedBody
        /// A coded body does not grow over the limit when it is decoded.
        case boundsDecodedBody
        /// An endless body of a redirect ends, at the limit or at the deadline.
        case boundsRedirectBody

        /// An answer that comes before the deadline is waited for, fractions of a second included.
        case waitsUntilDeadline
        /// A server that never answers fails as `timedOut` at the deadline.
        case endsSilenceAtDeadline
        /// So does a head that never ends.
        case endsSlowHeadAtDeadline
        /// So does a body that never ends.
        case endsSlowBodyAtDeadline
        /// So does a TLS handshake that never ends.
        case endsHandshakeAtDeadline

        /// Cancelling the task before the answer fails as `cancelled` and closes the connection.
        case endsWhenCancelled
        /// So does cancelling it during the body.
        case endsBodyWhenCancelled
        /// A task that is cancelled already sends nothing.
        case sendsNothingWhenCancelled

        /// A port where nobody listens fails as `unreachable`.
        case reportsRefusedConnection
        /// A name without an address fails as `unknownHost`.
        case reportsUnknownHost
        /// A connection that closes before the answer fails as `interrupted`.
        case reportsClosedConnection
        /// One that closes within the head does.
        case reportsCutHead
        /// One that closes within the body does.
        case reportsCutBody
        /// An answer that is not HTTP fails as `notHTTP` or `interrupted`.
        case reportsGarbage
        /// A server without TLS at an https URL fails as `tls` or `interrupted`.
        case reportsMissingTLS
    }

    /// What was measured while a promise was checked.
    public struct Observation: Sendable, Hashable, CustomStringConvertible {
        /// The promise, which is kept.
        public let promise: Promise
        /// How long the check took.
        public let duration: Duration
        /// How much of an endless body the server had got rid of when the transport closed the connection.
        public let bytesWritten: Int?

        /// The promise and what was measured.
        public var description: String {
            let size = bytesWritten.map { ", connection closed after \($0) bytes" } ?? ""
            return "\(promise.rawValue): \(duration)\(size)"
        }
    }
}

/// A promise that a transport does not keep.
public struct HTTPTransportCheckFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// Which one.
    public let promise: HTTPTransportCheck.Promise
    /// What happened instead.
    public let detail: String

    /// The promise and what happened instead.
    public var description: String { "\(promise.rawValue) is broken: \(detail)" }
}
