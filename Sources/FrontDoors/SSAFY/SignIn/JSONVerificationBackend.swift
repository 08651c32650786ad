public import HTTPTypes
public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A backend that takes the documented JSON at one URL.
///
/// The body is exactly the four members of the contract; whatever else a backend wants to know of the app, such as the
/// installation or a token against forged requests, goes into header fields.
public struct JSONVerificationBackend: VerificationBackend {
    private let endpoint: URL
    private let installation: InstallationKey?
    private let fields: @Sendable () async -> HTTPFields
    private let transport: any HTTPTransport
    private let context: ExchangeContext

    /// Takes the backend's URL.
    ///
    /// - Parameters:
    ///   - endpoint: The URL that the JSON is posted to: https, or http on loopback hosts.
    ///   - installation: The key that each request proves to the backend (RFC 9449), where its `NativeAppGuard` checks
    ///     proofs. Default: none.
    ///   - transport: The HTTP transport used for the request.
    ///   - clock: The device's clocks.
    ///   - fields: Header fields of the app's own, made anew for each request, such as `Cookie`.
    public init(
        endpoint: URL,
        proving installation: InstallationKey? = nil,
        transport: any HTTPTransport = URLSessionTransport(),
        clock: DeviceClock = .system,
        fields: @escaping @Sendable () async -> HTTPFields = { [:] }
    ) {
        self.endpoint = endpoint
        self.installation = installation
        self.transport = transport
        self.fields = fields
        context = ExchangeContext(clock: ServerClock(clock), random: { SecureRandom() })
    }

    /// Posts the code, and returns the backend's result.
    ///
    /// - Throws: `unavailable` when no response came; otherwise the backend's error.
    public func verify(_ request: VerificationExchangeRequest) async throws(VerificationError) -> VerificationResult {
        let key: DPoPKey?
        do throws(SignInError) { key = try await installation?.key() } catch {
            throw VerificationError(installation: error)
        }
        let exchange = VerificationExchange(request: request, endpoint: endpoint, fields: await fields(), key: key)
        let answer: Result<VerificationResult, VerificationError>
        do throws(SignInError) {
            answer = try await transport.perform(exchange, in: context)
        } catch {
            throw VerificationError(backend: error)
        }
        return try answer.get()
    }
}

/// The one request to the backend, and the reading of its response.
private struct VerificationExchange: Exchange {
    let request: VerificationExchangeRequest
    let endpoint: URL
    let fields: HTTPFields
    let key: DPoPKey?

    var stage: SignInError.Stage { .token }

    func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        var all = fields
        all[.accept] = "application/json"
        all[.cacheControl] = "no-store"
        var posted = EndpointRequest(
            url: endpoint,
            method: .post,
            fields: all,
            content: EndpointRequest.Content(mediaType: "application/json", bytes: request.body),
            limits: EndpointRequest.Limits(maximumBodyBytes: 65_536)
        )
        try posted.prove(key, &fresh)
        return posted
    }

    func output(from response: EndpointResponse) throws(SignInError) -> Result<VerificationResult, VerificationError> {
        guard response.status.kind == .successful else { return .failure(failure(response)) }
        // A refusal that the backend sends with HTTP 200 is treated as a refusal.
        if let refusal = refusal(in: response), refusal.code != nil { return .failure(failure(response)) }
        guard response.mediaType == "application/json" else {
            return .failure(VerificationError(.invalidAnswer("the media type"), code: .responseInvalid))
        }
        return Result { () throws(VerificationError) in try VerificationResult(parsing: response.body) }
    }

    private func refusal(in response: EndpointResponse) -> VerificationRefusal? {
        response.mediaType == "application/json" ? VerificationRefusal(parsing: response.body) : nil
    }

    private func failure(_ response: EndpointResponse) -> VerificationError {
        let refusal = refusal(in: response)
        return VerificationError(
            VerificationError.Reason(refusal?.code, status: response.status.code),
            code: refusal?.code,
            requestID: refusal?.requestID,
            retryAfter: response.retryAfter
        )
    }
}

extension VerificationError {
    /// Makes the error for a key that proves nothing now.
    fileprivate init(installation error: SignInError) {
        switch error.reason {
        case .storage(let failure): self.init(.storage(failure))
        default: self.init(.configuration(error.message))
        }
    }

    /// Makes the error for a missing response of the backend.
    fileprivate init(backend error: SignInError) {
        switch error.reason {
        case .cancelled: self.init(.cancelled)
        case .transport(.insecureURL):
            self.init(.configuration("The backend's URL is https; http is for this machine only."))
        case .transport(.redirectRefused):
            self.init(.configuration("The backend redirects: give the URL to which it redirects."))
        case .transport: self.init(.unavailable, code: .networkFailed)
        default: self.init(.invalidAnswer("it cannot be read"), code: .responseInvalid)
        }
    }
}

/// The app's own backend, which alone redeems codes and sees verification tokens.
///
/// ``JSONVerificationBackend`` speaks the documented contract; write another one for a backend that is called in
/// another way.
public protocol VerificationBackend: Sendable {
    /// Passes a callback's code to the backend, and returns the backend's result.
    ///
    /// - Throws: The reason the user is not verified.
    func verify(_ request: VerificationExchangeRequest) async throws(VerificationError) -> VerificationResult
}
