#if os(Linux) || os(macOS)
    import Foundation
    import Ostiary

    extension LoopbackLimits {
        /// Long enough for the slowest machine: the listener stays until its last page is fetched, and waits for a request.
        static let unhurried = {
            var limits = LoopbackLimits()
            limits.linger = .seconds(60)
            limits.connection = .seconds(60)
            return limits
        }()
    }

    /// An attempt of a loopback browser that is open, with the browser in the test's hands.
    struct OpenAttempt {
        static let page = URL(string: "https://id.example.com/authorize?client_id=app")!

        let redirectURI: RedirectURI
        let browser: LoopbackBrowser
        private let answering: Task<Result<URL, SignInError>, Never>

        var port: Int { redirectURI.port ?? 0 }

        init(
            _ redirectURI: String = "http://127.0.0.1/callback",
            appName: String = "Example",
            limits: LoopbackLimits = .unhurried,
            accepting predicate: RedirectPredicate = .any
        ) async throws {
            let (opened, opening) = AsyncStream.makeStream(of: URL.self)
            let browser = LoopbackBrowser(appName: appName, opener: .custom { opening.yield($0) }, limits: limits)
            try await self.init(redirectURI, of: browser, accepting: predicate)
            // A response before the URL is open counts for nothing, so the test goes on when it is.
            for await _ in opened { break }
        }

        init(
            _ redirectURI: String = "http://127.0.0.1/callback",
            of browser: LoopbackBrowser,
            opening page: URL = Self.page,
            accepting predicate: RedirectPredicate = .any
        ) async throws {
            let attempt = try await browser.attempt(awaiting: RedirectURI(redirectURI))
            self.browser = browser
            self.redirectURI = attempt.redirectURI
            answering = Task {
                do throws(SignInError) { return .success(try await attempt.open(page, accepting: predicate)) } catch {
                    return .failure(error)
                }
            }
        }

        var answer: URL { get async throws { try await result.get() } }

        var error: SignInError? {
            get async {
                guard case .failure(let error) = await result else { return nil }
                return error
            }
        }

        /// Ends with the test's time, too.
        private var result: Result<URL, SignInError> {
            get async {
                await withTaskCancellationHandler {
                    await answering.value
                } onCancel: {
                    answering.cancel()
                }
            }
        }

        func cancel() { answering.cancel() }

        /// The reply to a browser's request.
        func get(_ target: String, fields: [String] = []) async throws -> String {
            try await send((["GET \(target) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + fields).joined(separator: "\r\n"))
        }

        /// Sends a request head without its last, empty line.
        func send(_ head: String, host: String = "127.0.0.1") async throws -> String {
            let connection = try RawConnection(port: port, host: host)
            connection.send(head + "\r\n\r\n")
            return await connection.response()
        }
    }
#endif
