#if os(Linux) || os(macOS)
    import Foundation
    import Testing

    @testable import Ostiary

    @Suite("LoopbackBrowser.Opener", .timeLimit(.minutes(5)))
    struct BrowserOpenerTests {
        private let url = URL(string: "https://id.example.com/authorize?a=1&b='$(c)'")!
        private let redirectURI = "http://127.0.0.1/callback"

        @Test("BROWSER is split at spaces, and gets the URL as its last argument")
        func browserVariable() {
            let commands = BrowserCommands(environment: ["BROWSER": "firefox  --new-window"], isWindowsSubsystem: true)
            #expect(commands.opening(url) == [["firefox", "--new-window", url.absoluteString]])
        }

        @Test("BROWSER takes the URL where %s stands")
        func placeholder() {
            let commands = BrowserCommands(
                environment: ["BROWSER": "chromium --app=%s --incognito"],
                isWindowsSubsystem: false
            )
            #expect(commands.opening(url) == [["chromium", "--app=\(url.absoluteString)", "--incognito"]])
        }

        #if os(Linux)
            @Test("Without BROWSER the desktop's browser is opened")
            func desktop() {
                let commands = BrowserCommands(environment: ["BROWSER": ""], isWindowsSubsystem: false)
                #expect(commands.opening(url) == [["xdg-open", url.absoluteString]])
            }

            @Test("Under WSL, Windows' browser is opened, by a script in which the URL is a string and nothing else")
            func windows() throws {
                let commands = BrowserCommands(environment: [:], isWindowsSubsystem: true).opening(url)
                #expect(commands.map(\.first) == ["wslview", "powershell.exe", "xdg-open"])
                let script = try #require(commands[1].last.flatMap { Data(base64Encoded: $0) })
                #expect(
                    String(data: script, encoding: .utf16LittleEndian)
                        == "Start-Process 'https://id.example.com/authorize?a=1&b=''$(c)'''"
                )
            }
        #endif

        @Test("A command gets the URL as one argument, and no shell looks at it")
        func command() async throws {
            let pipe = FileManager.default.temporaryDirectory.appendingPathComponent(
                "ostiary-\(UInt64.random(in: 0 ... .max))"
            ).path
            #expect(mkfifo(pipe, 0o600) == 0)
            defer { unlink(pipe) }
            let script = "echo \"$#\" \"$1\" > \"$0\""
            let browser = LoopbackBrowser(appName: "Example", opener: .command(["sh", "-c", script, pipe]))
            let attempt = try await browser.attempt(awaiting: RedirectURI(redirectURI))
            let opening = Task { try await attempt.open(url, accepting: .any) }
            let written = await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    // Opening waits for the command, and reading for its end.
                    let text = FileHandle(forReadingAtPath: pipe).flatMap { try? $0.readToEnd() }
                    continuation.resume(returning: text)
                }
            }
            let words = try #require(written.map { String(decoding: $0, as: UTF8.self) }).split(separator: " ")
            #expect(words.first == "1")
            #expect(words.count == 2)
            opening.cancel()
            _ = await opening.result
        }

        @Test("A browser command gets a loopback address that leads to the page once, and no URL in its arguments")
        func entry() async throws {
            let pipe = FileManager.default.temporaryDirectory.appendingPathComponent(
                "ostiary-\(UInt64.random(in: 0 ... .max))"
            ).path
            #expect(mkfifo(pipe, 0o600) == 0)
            defer { unlink(pipe) }
            let browser = LoopbackBrowser(
                appName: "Example",
                opener: .command(["sh", "-c", "printf %s \"$1\" > \"$0\"", pipe])
            )
            let attempt = try await OpenAttempt(of: browser)
            let written = await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    let text = FileHandle(forReadingAtPath: pipe).flatMap { try? $0.readToEnd() }
                    continuation.resume(returning: text)
                }
            }
            let address = try #require(written.flatMap { URL(string: String(decoding: $0, as: UTF8.self)) })
            #expect(address.host == "127.0.0.1")
            #expect(address.port == attempt.port)
            #expect(address.query == nil)
            #expect(try await attempt.get("/open/AAAAAAAAAAAAAAAAAAAAAA").hasPrefix("HTTP/1.1 404 "))
            let ahead = try await attempt.get(address.path, fields: ["Sec-Purpose: prefetch"])
            #expect(ahead.hasPrefix("HTTP/1.1 503 "))
            let led = try await attempt.get(address.path)
            #expect(led.hasPrefix("HTTP/1.1 303 "))
            #expect(led.contains("\r\nLocation: \(OpenAttempt.page.absoluteString)\r\n"))
            #expect(led.contains("\r\nReferrer-Policy: no-referrer\r\n"))
            _ = try await attempt.get("/callback?code=1")
            #expect(try await attempt.answer.query() == "code=1")
        }

        @Test("A loopback entry address that is opened twice ends the attempt")
        func entryTwice() async throws {
            let (attempt, address) = try await opened(OpenAttempt.page)
            #expect(try await attempt.get(address.path).hasPrefix("HTTP/1.1 303 "))
            let second = try await attempt.get(address.path)
            #expect(second.hasPrefix("HTTP/1.1 410 ") && !second.contains("id.example.com"))
            #expect(await attempt.error == SignInError(.authorization, .presentation(.openedTwice)))
        }

        #if os(Linux)
            @Test("A program of another user gets 403 at the entry address, and does not use it up")
            func entryOfAnotherUser() async throws {
                var limits = LoopbackLimits.unhurried
                limits.users = [geteuid() + 1]
                let (attempt, address) = try await opened(OpenAttempt.page, limits: limits)
                for _ in 0..<2 {
                    let reply = try await attempt.get(address.path)
                    #expect(reply.hasPrefix("HTTP/1.1 403 ") && !reply.contains("id.example.com"))
                }
                attempt.cancel()
                #expect(await attempt.error == SignInError(.authorization, .cancelled))
            }
        #endif

        @Test("An ID token hint is posted by a page of the listener and is in no URL")
        func postedHint() async throws {
            let page = try #require(
                URL(
                    string: "https://id.example.com/logout?tenant=a%26b&client_id=app&id_token_hint=e.y.J&"
                        + "post_logout_redirect_uri=http%3A%2F%2F127.0.0.1%2F&state=s%22%3E"
                )
            )
            let (opened, opening) = AsyncStream.makeStream(of: URL.self)
            let browser = LoopbackBrowser(appName: "Example", opener: .custom { opening.yield($0) })
            let attempt = try await OpenAttempt(of: browser, opening: page)
            var address: URL?
            for await url in opened {
                address = url
                break
            }
            let entry = try #require(address)
            #expect(entry.host == "127.0.0.1" && entry.query == nil)
            let form = try await attempt.get(entry.path)
            #expect(form.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(form.contains("\r\nCache-Control: no-store\r\n"))
            #expect(form.contains("<form method=\"post\" action=\"https://id.example.com/logout?tenant=a%26b\">"))
            for (name, value) in [
                ("client_id", "app"), ("id_token_hint", "e.y.J"), ("post_logout_redirect_uri", "http://127.0.0.1/"),
                ("state", "s&quot;&gt;"),
            ] {
                #expect(form.contains("<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"))
            }
            #expect(form.contains("script-src 'sha256-") && !form.contains("unsafe-inline"))
            #expect(form.contains("<button>Continue to sign out</button>"))
            _ = try await attempt.get("/callback?state=1")
            #expect(try await attempt.answer.query() == "state=1")
        }

        /// An attempt of a browser that is a command, and the address that the command is given.
        private func opened(
            _ page: URL,
            limits: LoopbackLimits = .unhurried
        ) async throws -> (attempt: OpenAttempt, address: URL) {
            let pipe = FileManager.default.temporaryDirectory.appendingPathComponent(
                "ostiary-\(UInt64.random(in: 0 ... .max))"
            ).path
            #expect(mkfifo(pipe, 0o600) == 0)
            defer { unlink(pipe) }
            let browser = LoopbackBrowser(
                appName: "Example",
                opener: .command(["sh", "-c", "printf %s \"$1\" > \"$0\"", pipe]),
                limits: limits
            )
            let attempt = try await OpenAttempt(of: browser, opening: page)
            let written = await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    let text = FileHandle(forReadingAtPath: pipe).flatMap { try? $0.readToEnd() }
                    continuation.resume(returning: text)
                }
            }
            return (attempt, try #require(written.flatMap { URL(string: String(decoding: $0, as: UTF8.self)) }))
        }

        @Test("A browser command that cannot be started ends the attempt when the URL is not announced")
        func missingCommand() async throws {
            let error = await failure(of: .command(["no-such-browser"]))
            #expect(
                error
                    == SignInError(
                        .authorization,
                        .configuration("no-such-browser cannot be started: install it, or set BROWSER to a browser.")
                    )
            )
        }

        @Test("A browser command that fails at once ends the attempt when the URL is not announced")
        func failingCommand() async throws {
            let error = await failure(of: .command(["false"]))
            #expect(
                error
                    == SignInError(
                        .authorization,
                        .configuration("false ended with status 1: open the URL by hand, or set BROWSER to a browser.")
                    )
            )
        }

        @Test("An opener without a browser and without announce is a configuration error")
        func none() async throws {
            let error = await failure(of: .none)
            #expect(
                error
                    == SignInError(
                        .authorization,
                        .configuration("No browser is opened, and the URL is not announced: give `announce`.")
                    )
            )
        }

        @Test("An opener's own error reaches the caller")
        func customError() async throws {
            let error = await failure(of: .custom { _ in throw SignInError(.authorization, .cancelled) })
            #expect(error == SignInError(.authorization, .cancelled))
        }

        @Test(
            "With announce a browser that does not open is no failure",
            arguments: [["no-such-browser"], ["false"]]
        )
        func announced(command: [String]) async throws {
            let (announced, announcing) = AsyncStream.makeStream(of: URL.self)
            let browser = LoopbackBrowser(
                appName: "Example",
                opener: .command(command),
                announce: { announcing.yield($0) }
            )
            let attempt = try await OpenAttempt(of: browser)
            for await url in announced {
                #expect(url == OpenAttempt.page)
                break
            }
            _ = try await attempt.get("/callback?code=1")
            #expect(try await attempt.answer.query() == "code=1")
        }

        @Test("A browser that runs on does not keep the port")
        func portIsNotInherited() async throws {
            let (announced, announcing) = AsyncStream.makeStream(of: URL.self)
            let browser = LoopbackBrowser(
                appName: "Example",
                opener: .command(["sh", "-c", "sleep 3"]),
                announce: { announcing.yield($0) },
                limits: .unhurried
            )
            let attempt = try await OpenAttempt(of: browser)
            for await _ in announced { break }
            _ = try await attempt.get("/callback?code=1")
            _ = try await attempt.get("/done")
            await browser.settle()
            let again = try await browser.attempt(awaiting: attempt.redirectURI)
            await again.abandon()
        }

        #if os(Linux)
            @Test("A browser's signals are as usual, whatever this program blocks or ignores")
            func signals() async throws {
                let pipe = FileManager.default.temporaryDirectory.appendingPathComponent(
                    "ostiary-\(UInt64.random(in: 0 ... .max))"
                ).path
                #expect(mkfifo(pipe, 0o600) == 0)
                defer { unlink(pipe) }
                // As the threads of Swift's pools may, and as servers and command lines do.
                let former = signal(SIGPIPE, SIG_IGN)
                defer { signal(SIGPIPE, former) }
                Thread.detachNewThread {
                    var every = sigset_t()
                    sigfillset(&every)
                    pthread_sigmask(SIG_BLOCK, &every, nil)
                    // No shell: some clear the mask for what they start.
                    _ = ChildProcess(starting: ["dd", "if=/proc/self/status", "of=\(pipe)"])
                }
                let written = await withCheckedContinuation { continuation in
                    Thread.detachNewThread {
                        let text = FileHandle(forReadingAtPath: pipe).flatMap { try? $0.readToEnd() }
                        continuation.resume(returning: text)
                    }
                }
                let lines = try #require(written.map { String(decoding: $0, as: UTF8.self) }).split(separator: "\n")
                // The highest ones are the C library's own.
                let masks = lines.filter { $0.hasPrefix("SigBlk") || $0.hasPrefix("SigIgn") }.compactMap {
                    UInt64($0.suffix(16), radix: 16).map { $0 & 0x7FFF_FFFF }
                }
                #expect(masks == [0, 0])
            }
        #endif

        private func failure(of opener: LoopbackBrowser.Opener) async -> SignInError? {
            let browser = LoopbackBrowser(appName: "Example", opener: opener)
            do {
                let attempt = try await browser.attempt(awaiting: RedirectURI(redirectURI))
                _ = try await attempt.open(url, accepting: .any)
                return nil
            } catch {
                return error
            }
        }
    }
#endif
