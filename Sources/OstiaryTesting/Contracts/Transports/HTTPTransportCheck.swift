public import OstiaryOAuth

/// Checks that a transport keeps the promises of `HTTPTransport`, against a misbehaving server on this machine.
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
    /// - Returns: The observed behavior at each promise.
    /// - Throws: ``HTTPTransportCheckFailure`` with the broken promise and the observed behavior.
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
    /// - Throws: ``HTTPTransportCheckFailure`` with the observed behavior.
    @discardableResult
    public func run(_ promise: Promise) async throws(HTTPTransportCheckFailure) -> Observation {
        let trial = HTTPTransportTrial(of: promise, transport: makeTransport())
        let start = ContinuousClock.now
        let bytesWritten = try await trial.run()
        return Observation(promise: promise, duration: .now - start, bytesWritten: bytesWritten)
    }
}

extension HTTPTransportCheck {
    /// A promise of a transport.
    public enum Promise: String, Sendable, Hashable, CaseIterable {
        /// Method, path, query and fields arrive as given.
        case sendsRequestAsGiven
        /// A form arrives byte for byte, with its media type.
        case sendsFormAsGiven
        /// Any other body arrives byte for byte, with its media type.
        case sendsContentAsGiven
        /// A HEAD request gets its response, whatever length that announces.
        case sendsHead
        /// A GET or HEAD with a body fails as `invalidRequest`, and nothing is sent.
        case refusesBodyOfGet
        /// A URL that is not http or https fails as `insecureURL`.
        case refusesOtherSchemes
        /// The default User-Agent names no program, host or user.
        case revealsNothingInUserAgent
        /// Status and body are returned as sent, for success and for error.
        case returnsStatusAndBody
        /// A 401 with a Basic challenge is returned, not answered.
        case returnsChallenge
        /// Every value of a repeated field is returned, in order.
        case returnsRepeatedFields
        /// Several Set-Cookie fields are returned as several fields.
        case returnsSetCookieFieldsApart
        /// An interim response, 1xx, is not returned as the response.
        case skipsInterimAnswer
        /// Trailer fields after a body do no harm.
        case toleratesTrailerFields
        /// Fifty concurrent requests each get their own response.
        case answersManyAtOnce

        /// Redirects are returned, and not followed.
        case returnsRedirects
        /// A redirect without a Location is returned.
        case returnsRedirectWithoutLocation
        /// A cookie that was set is not sent.
        case keepsNoCookies
        /// A cacheable response is requested again.
        case keepsNoCache

        /// A body of exactly the limit is returned.
        case acceptsBodyAtLimit
        /// A Content-Length over the limit fails as `tooLarge` at once.
        case refusesAnnouncedLargeBody
        /// A body over the limit fails as `tooLarge`, and is read no further.
        case stopsReadingLargeBody
        /// A body in chunks over the limit fails in the same way.
        case stopsReadingLargeChunkedBody
        /// A coded body does not grow over the limit when it is decoded.
        case boundsDecodedBody
        /// An endless body of a redirect ends, at the limit or at the deadline.
        case boundsRedirectBody

        /// A response before the deadline is awaited, fractions of a second included.
        case waitsUntilDeadline
        /// A server that never responds fails as `timedOut` at the deadline.
        case endsSilenceAtDeadline
        /// A head that never ends fails as `timedOut` at the deadline.
        case endsSlowHeadAtDeadline
        /// A body that never ends fails as `timedOut` at the deadline.
        case endsSlowBodyAtDeadline
        /// A TLS handshake that never ends fails as `timedOut` at the deadline.
        case endsHandshakeAtDeadline

        /// Cancelling the task before the response fails as `cancelled` and closes the connection.
        case endsWhenCancelled
        /// Cancelling the task during the body fails as `cancelled` and closes the connection.
        case endsBodyWhenCancelled
        /// A task that is cancelled already sends nothing.
        case sendsNothingWhenCancelled

        /// A port without a listener fails as `unreachable`.
        case reportsRefusedConnection
        /// A name without an address fails as `unknownHost`.
        case reportsUnknownHost
        /// A connection that closes before the response fails as `interrupted`.
        case reportsClosedConnection
        /// A connection that closes within the head fails as `interrupted`.
        case reportsCutHead
        /// A connection that closes within the body fails as `interrupted`.
        case reportsCutBody
        /// A response that is not HTTP fails as `notHTTP` or `interrupted`.
        case reportsGarbage
        /// A server without TLS at an https URL fails as `tls` or `interrupted`.
        case reportsMissingTLS
    }

    /// The measurements of one check.
    public struct Observation: Sendable, Hashable, CustomStringConvertible {
        /// The promise, which is kept.
        public let promise: Promise
        /// The duration of the check.
        public let duration: Duration
        /// The number of bytes of an endless body that the server had sent when the transport closed the connection.
        public let bytesWritten: Int?

        /// The promise and the measurements.
        public var description: String {
            let size = bytesWritten.map { ", connection closed after \($0) bytes" } ?? ""
            return "\(promise.rawValue): \(duration)\(size)"
        }
    }
}

/// A promise that a transport does not keep.
public struct HTTPTransportCheckFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The broken promise.
    public let promise: HTTPTransportCheck.Promise
    /// The observed behavior.
    public let detail: String

    /// The promise and the observed behavior.
    public var description: String { "\(promise.rawValue) is broken: \(detail)" }
}
