/// The reason no response came.
public enum TransportFailure: String, Error, Sendable, Hashable {
    /// The host could not be reached: no network, no such port, connection refused.
    case unreachable
    /// The host's name has no address.
    case unknownHost
    /// The TLS handshake failed.
    case tls
    /// The connection broke before the response was complete.
    case interrupted
    /// The whole exchange took longer than its deadline.
    case timedOut
    /// The response was larger than its limit; the rest of it was not read.
    case tooLarge
    /// The server redirected, which is not followed: it would carry credentials to another place.
    case redirectRefused
    /// The URL is neither https nor on a loopback address; nothing was sent.
    case insecureURL
    /// The request is one that no transport sends, such as a GET with a body; nothing was sent.
    case invalidRequest
    /// The response is not HTTP.
    case notHTTP
    /// The task was cancelled.
    case cancelled
}
