import HTTPTypes
public import Ostiary
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ExchangeRecorder {
    /// Returns a transport that sends with another one, and records each request with its response.
    public func transport(over next: any HTTPTransport) -> RecordingTransport {
        RecordingTransport(next: next, recorder: self)
    }

    /// Returns a user agent that opens pages with another one, and records the page's URL and the redirect.
    public func userAgent(over next: any UserAgent) -> RecordingUserAgent {
        RecordingUserAgent(next: next, recorder: self)
    }
}

/// The transport of an ``ExchangeRecorder``.
public struct RecordingTransport: HTTPTransport {
    /// The transport that sends the requests.
    public let next: any HTTPTransport
    let recorder: ExchangeRecorder

    /// Sends a request, and records it with its response or failure.
    ///
    /// It does not record pages: a submitted form may hold a password.
    ///
    /// - Throws: The error of the other transport.
    public func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        guard request.fields[.accept]?.contains("text/html") != true else { return try await next.send(request) }
        let start = recorder.now
        do throws(TransportFailure) {
            let response = try await next.send(request)
            recorder.add(request, .success(response), from: start)
            return response
        } catch {
            recorder.add(request, .failure(error), from: start)
            throw error
        }
    }
}

/// The user agent of an ``ExchangeRecorder``.
public struct RecordingUserAgent: UserAgent {
    /// The user agent that presents the page.
    public let next: any UserAgent
    let recorder: ExchangeRecorder

    /// Prepares the other user agent.
    public func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        let attempt = try await next.attempt(awaiting: redirectURI)
        return UserAgentAttempt(
            redirectURI: attempt.redirectURI,
            open: { [recorder] (url: URL, predicate: RedirectPredicate) async throws(SignInError) -> URL in
                let start = recorder.now
                let redirect = try await attempt.open(url, accepting: predicate)
                recorder.add(
                    EndpointRequest(url: url, fields: [.accept: "text/html"]),
                    .success(EndpointResponse(status: .seeOther, fields: [.location: redirect.absoluteString])),
                    from: start,
                    isBrowser: true
                )
                return redirect
            },
            abandon: { await attempt.abandon() }
        )
    }
}
