import Foundation
import HTTPTypes
import Ostiary
import OstiaryCompatibility
import OstiaryTesting
import Testing

/// The check finds each of these transports out.
@Suite("HTTP transport check")
struct HTTPTransportCheckTests {
    @Test("A transport that follows redirects breaks a promise")
    func follower() async {
        let check = HTTPTransportCheck {
            Spoiled { request, transport throws(TransportFailure) in
                let response = try await transport.send(request)
                guard let url = response.fields[.location].flatMap({ URL(string: $0) }) else { return response }
                var next = request
                next.url = url
                return try await transport.send(next)
            }
        }
        #expect(await check.broken(.returnsRedirects)?.contains("was followed") == true)
    }

    @Test("A transport that forgets the limit breaks a promise")
    func glutton() async {
        let check = HTTPTransportCheck {
            Spoiled { request, transport throws(TransportFailure) in
                var request = request
                request.limits.maximumBodyBytes *= 100
                return try await transport.send(request)
            }
        }
        #expect(await check.broken(.acceptsBodyAtLimit) != nil)
        #expect(await check.broken(.boundsDecodedBody) != nil)
    }

    @Test("A transport that truncates the deadline to whole seconds breaks promises")
    func hurry() async {
        let check = HTTPTransportCheck {
            Spoiled { request, transport throws(TransportFailure) in
                var request = request
                request.limits.deadline = .seconds(request.limits.deadline.components.seconds)
                return try await transport.send(request)
            }
        }
        #expect(await check.broken(.endsSilenceAtDeadline) != nil)
    }

    @Test("A transport that ignores time breaks the deadline and the cancellation")
    func patience() async {
        let check = HTTPTransportCheck {
            Spoiled { request, transport throws(TransportFailure) in
                var request = request
                request.limits.deadline += .seconds(3)
                let sent = request
                let sending = Task { () -> Result<EndpointResponse, TransportFailure> in
                    do throws(TransportFailure) {
                        return .success(try await transport.send(sent))
                    } catch {
                        return .failure(error)
                    }
                }
                return try await sending.value.get()
            }
        }
        async let deadline = check.broken(.endsSlowBodyAtDeadline)
        async let cancellation = check.broken(.endsWhenCancelled)
        #expect(await deadline != nil)
        #expect(await cancellation != nil)
    }

    @Test("A transport that keeps cookies, caches answers or repeats requests breaks promises")
    func hoarder() async {
        let check = HTTPTransportCheck {
            let kept = Kept()
            return Spoiled { request, transport throws(TransportFailure) in
                try await kept.send(request, by: transport)
            }
        }
        #expect(await check.broken(.keepsNoCookies) != nil)
        #expect(await check.broken(.keepsNoCache) != nil)
        #expect(await check.broken(.returnsRedirects) != nil)
    }

    @Test("A transport that changes what is sent breaks promises")
    func meddler() async {
        let check = HTTPTransportCheck {
            Spoiled { request, transport throws(TransportFailure) in
                var request = request
                request.fields[.accept] = "*/*"
                request.fields[.userAgent] = ProcessInfo.processInfo.processName
                if let body = request.body, body.count < 1_000_000 {
                    request.form = [:]
                    request.content = .init(mediaType: "text/plain", bytes: body)
                } else {
                    request.content?.bytes.append(0)
                }
                return try await transport.send(request)
            }
        }
        for promise in [HTTPTransportCheck.Promise.sendsRequestAsGiven, .sendsFormAsGiven, .sendsContentAsGiven] {
            #expect(await check.broken(promise) != nil)
        }
    }

    @Test("A transport with one failure for everything breaks promises")
    func mumbler() async {
        let check = HTTPTransportCheck {
            Spoiled { request, transport throws(TransportFailure) in
                do throws(TransportFailure) {
                    return try await transport.send(request)
                } catch {
                    throw .insecureURL
                }
            }
        }
        for promise in [
            HTTPTransportCheck.Promise.reportsRefusedConnection, .reportsClosedConnection, .reportsCutBody,
            .reportsGarbage, .reportsMissingTLS, .refusesAnnouncedLargeBody, .refusesBodyOfGet,
        ] {
            #expect(await check.broken(promise) != nil)
        }
    }

    @Test("A transport that loses fields or status breaks promises")
    func loser() async {
        let check = HTTPTransportCheck {
            Spoiled { request, transport throws(TransportFailure) in
                var response = try await transport.send(request)
                for name in Set(response.fields.map(\.name)) {
                    response.fields[values: name] = Array(response.fields[values: name].suffix(1))
                }
                response.fields[.wwwAuthenticate] = nil
                response.status = .ok
                return response
            }
        }
        for promise in [
            HTTPTransportCheck.Promise.returnsRepeatedFields, .returnsSetCookieFieldsApart, .returnsStatusAndBody,
            .returnsChallenge, .returnsRedirectWithoutLocation,
        ] {
            #expect(await check.broken(promise) != nil)
        }
    }
}

extension HTTPTransportCheck {
    /// The way in which a promise is broken.
    fileprivate func broken(_ promise: Promise) async -> String? {
        do throws(HTTPTransportCheckFailure) {
            try await run(promise)
            return nil
        } catch {
            return error.promise == promise ? error.detail : nil
        }
    }
}

/// A good transport with something bad around it.
private struct Spoiled: HTTPTransport {
    typealias Spoiling =
        @Sendable (EndpointRequest, any HTTPTransport) async throws(TransportFailure) -> EndpointResponse

    private let transport = URLSessionTransport()
    private let spoil: Spoiling

    init(_ spoil: @escaping Spoiling) { self.spoil = spoil }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        try await spoil(request, transport)
    }
}

/// The values that a transport should not keep.
private final class Kept: Sendable {
    private let state = Lock((cookies: [String](), answers: [URL: EndpointResponse]()))

    func send(
        _ request: EndpointRequest,
        by transport: any HTTPTransport
    ) async throws(TransportFailure) -> EndpointResponse {
        let (cookies, answer) = state.withLock { ($0.cookies, $0.answers[request.url]) }
        if let answer, answer.fields[.cacheControl] != nil { return answer }
        var request = request
        request.fields[values: .cookie] = cookies
        _ = try await transport.send(request)
        let response = try await transport.send(request)
        state.withLock {
            $0.cookies = response.fields[values: .setCookie]
            $0.answers[request.url] = response
        }
        return response
    }
}
