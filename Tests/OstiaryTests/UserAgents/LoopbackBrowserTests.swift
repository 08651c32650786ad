#if os(Linux) || os(macOS)
    import Foundation
    import Ostiary
    import OstiaryTesting
    import Testing

    @Suite("LoopbackBrowser", .timeLimit(.minutes(5)))
    struct LoopbackBrowserTests {
        @Test("The loopback browser keeps every promise of a user agent, and web requests cannot end an attempt")
        func contract() async throws {
            let check = UserAgentCheck(
                redirectURI: try RedirectURI("http://127.0.0.1/callback"),
                reception: .listening { url in
                    let reply = try await Self.visit(url, fields: ["Sec-Fetch-Dest: document"])
                    #expect(reply.hasPrefix("HTTP/1.1 400 "))
                },
                interfere: { redirectURI in
                    for noise in Self.noise(redirectURI) {
                        let connection = try RawConnection(port: redirectURI.port ?? 0)
                        connection.send(noise)
                        let reply = await connection.response()
                        #expect(!reply.hasPrefix("HTTP/1.1 303"), "\(noise) was taken for the answer")
                    }
                    // A browser that hangs up at once.
                    try RawConnection(port: redirectURI.port ?? 0).send("GET /callback?code=1 HT")
                },
                make: { person in
                    LoopbackBrowser(
                        appName: "Example",
                        opener: .custom { url in try await Self.browse(url, as: person) },
                        limits: .unhurried
                    )
                }
            )
            try await check.run()
        }

        private static func browse(_ url: URL, as person: UserAgentCheck.User) async throws {
            let redirect = try await person.redirect(for: url)
            let port = redirect.port ?? 0
            for target in ["\(redirect.path)?\(redirect.query(percentEncoded: true) ?? "")", "/done"] {
                let connection = try RawConnection(port: port)
                connection.send("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
                _ = await connection.response()
            }
        }

        /// A browser's own visit.
        private static func visit(_ url: URL, fields: [String] = []) async throws -> String {
            let port = url.port ?? 0
            let connection = try RawConnection(port: port)
            let target = "\(url.path)?\(url.query(percentEncoded: true) ?? "")"
            let lines = ["GET \(target) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + fields
            connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
            return await connection.response()
        }

        private static func noise(_ redirectURI: RedirectURI) -> [String] {
            let host = "Host: 127.0.0.1:\(redirectURI.port ?? 0)\r\n"
            return [
                "GET /favicon.ico HTTP/1.1\r\n\(host)\r\n",
                "GET /done HTTP/1.1\r\n\(host)\r\n",
                "GET /callback/?code=1 HTTP/1.1\r\n\(host)\r\n",
                "GET /Callback?code=1 HTTP/1.1\r\n\(host)\r\n",
                "GET /%63allback?code=1 HTTP/1.1\r\n\(host)\r\n",
                "GET /callback?code=1 HTTP/1.1\r\nHost: evil.example\r\n\r\n",
                "GET /callback?code=1 HTTP/1.1\r\n\r\n",
                "GET /callback?code=1 HTTP/1.1\r\n\(host)\(host)\r\n",
                "GET http://evil.example/callback?code=1 HTTP/1.1\r\n\(host)\r\n",
                "POST /callback?code=1 HTTP/1.1\r\n\(host)Content-Length: 0\r\n\r\n",
                "GET /callback?code=1 HTTP/2.0\r\n\(host)\r\n",
                "GET /callback?code=%zz HTTP/1.1\r\n\(host)\r\n",
                "GET /callback?code=1#f HTTP/1.1\r\n\(host)\r\n",
                "GET /callback?code=1 HTTP/1.1\r\n\(host)Sec-Fetch-Dest: script\r\n\r\n",
                "GET /callback?code=1 HTTP/1.1\r\n\(host) folded\r\n\r\n",
                "GET /callback?code=\u{1} HTTP/1.1\r\n\(host)\r\n",
                "GET /callback?code=1\n\(host)\n\r\n\r\n",
                "\u{16}\u{3}\u{1}\u{0}\r\n\r\n",
            ]
        }

        @Test("The loopback redirect is the redirect URI with the query that arrived")
        func answer() async throws {
            let attempt = try await OpenAttempt("http://127.0.0.1/callback?tenant=1")
            _ = try await attempt.get("/callback?tenant=1&code=a%2Bb+c&state=%C3%A4&pipe=|")
            let expected = "http://127.0.0.1:\(attempt.port)/callback?tenant=1&code=a%2Bb+c&state=%C3%A4&pipe=%7C"
            #expect(try await attempt.answer.absoluteString == expected)
        }

        @Test("A loopback redirect with another state gets 400, and the attempt continues")
        func otherSignIn() async throws {
            let attempt = try await OpenAttempt(accepting: RedirectPredicate { $0.query() == "code=2&state=new" })
            for target in ["/callback?code=1&state=old", "/callback?x", "/callback"] {
                let reply = try await attempt.get(target, fields: ["Sec-Fetch-Dest: document"])
                #expect(reply.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
                #expect(reply.contains("not the answer to the sign-in that Example is waiting for"))
                #expect(!reply.contains("old"))
            }
            #expect(try await attempt.get("/callback?code=2&state=new").hasPrefix("HTTP/1.1 303 "))
            #expect(try await attempt.answer.query() == "code=2&state=new")
        }

        @Test("A redirect URI without a path is visited at /")
        func emptyPath() async throws {
            let attempt = try await OpenAttempt("http://127.0.0.1")
            #expect(try await attempt.get("/?code=1").hasPrefix("HTTP/1.1 303 "))
            #expect(try await attempt.answer.absoluteString == "http://127.0.0.1:\(attempt.port)/?code=1")
        }

        @Test("The browser is redirected to a page without the code, which runs no script and claims no success")
        func page() async throws {
            let attempt = try await OpenAttempt(appName: "<Ex & \"ample\">")
            let reply = try await attempt.get("/callback?code=secret&state=s")
            #expect(reply.hasPrefix("HTTP/1.1 303 See Other\r\n"))
            #expect(reply.contains("\r\nLocation: /done\r\n"))
            #expect(!reply.contains("secret"))
            let page = try await attempt.get("/done")
            #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n"))
            for field in [
                "Content-Type: text/html; charset=utf-8", "Cache-Control: no-store", "Referrer-Policy: no-referrer",
                "X-Content-Type-Options: nosniff", "Connection: close", "Content-Security-Policy: default-src 'none'; ",
            ] {
                #expect(page.contains("\r\n\(field)"), "\(field) is missing")
            }
            #expect(page.contains("<h1>Return to &lt;Ex &amp; &quot;ample&quot;&gt;</h1>"))
            #expect(!page.contains("<script") && !page.contains("secret") && !page.lowercased().contains("signed in"))
        }

        @Test("Markup in the app's name is escaped, also before combining marks")
        func combiningMarks() async throws {
            let attempt = try await OpenAttempt(appName: "<\u{301}b>\u{301}&\u{301}\"\u{301}'\u{301}")
            _ = try await attempt.get("/callback?code=1")
            let escaped = "&lt;\u{301}b&gt;\u{301}&amp;\u{301}&quot;\u{301}&#39;\u{301}"
            // Bytes: to Swift, two of these strings can be equal that differ for a browser.
            let page = Array(try await attempt.get("/done").utf8)
            #expect(page.contains(Array("<h1>Return to \(escaped)</h1>".utf8)))
        }

        @Test("The page's Content-Security-Policy allows its own style")
        func style() async throws {
            let attempt = try await OpenAttempt()
            _ = try await attempt.get("/callback?code=1")
            let page = try await attempt.get("/done")
            #expect(page.contains("style-src 'sha256-"))
            #expect(!page.contains("unsafe-inline"))
        }

        @Test("A redirect URI at the path of the final page gets another final page")
        func pageAtRedirectPath() async throws {
            let attempt = try await OpenAttempt("http://127.0.0.1/done")
            #expect(try await attempt.get("/done?code=1").contains("\r\nLocation: /done/\r\n"))
            #expect(try await attempt.get("/done/").hasPrefix("HTTP/1.1 200 "))
        }

        @Test("A second visit to the redirect URI gets 410, and changes nothing")
        func twice() async throws {
            let attempt = try await OpenAttempt()
            _ = try await attempt.get("/callback?code=1")
            #expect(try await attempt.get("/callback?code=2").hasPrefix("HTTP/1.1 410 Gone\r\n"))
            #expect(try await attempt.answer.query() == "code=1")
        }

        @Test(
            "A request that is not the browser's own navigation is rejected, and the attempt continues",
            arguments: [
                ("GET /favicon.ico HTTP/1.1", "Host: 127.0.0.1:PORT", "404"),
                ("GET /callback?code=1 HTTP/1.1", "Host: localhost:PORT", "400"),
                ("GET /callback?code=1 HTTP/1.1", "Host: evil.example:PORT", "400"),
                ("GET /callback?code=1 HTTP/1.1", "Host: 127.0.0.1", "400"),
                ("GET /callback?code=1 HTTP/1.1", "Accept: */*", "400"),
                ("POST /callback?code=1 HTTP/1.1", "Host: 127.0.0.1:PORT", "405"),
                ("HEAD /callback?code=1 HTTP/1.1", "Host: 127.0.0.1:PORT", "405"),
                ("GET /callback?code=1 HTTP/1.1", "Host: 127.0.0.1:PORT\r\nSec-Fetch-Dest: image", "403"),
                ("GET /callback?code=1 HTTP/1.1", "Host: 127.0.0.1:PORT\r\nSec-Purpose: prefetch", "503"),
                ("GET /callback?code=1 HTTP/3", "Host: 127.0.0.1:PORT", "505"),
            ]
        )
        func refusals(line: String, fields: String, status: String) async throws {
            let attempt = try await OpenAttempt()
            let fields = fields.replacingOccurrences(of: "PORT", with: "\(attempt.port)")
            #expect(try await attempt.send("\(line)\r\n\(fields)").hasPrefix("HTTP/1.1 \(status) "))
            _ = try await attempt.get("/callback?code=real", fields: ["Sec-Fetch-Dest: document"])
            #expect(try await attempt.answer.query() == "code=real")
        }

        @Test("A request head has 64 lines and 16 KiB at most")
        func largeHead() async throws {
            let attempt = try await OpenAttempt()
            let lines = (1...62).map { "X-\($0): 1" }
            #expect(try await attempt.get("/", fields: lines).hasPrefix("HTTP/1.1 404 "))
            #expect(try await attempt.get("/", fields: lines + ["X: 1"]).hasPrefix("HTTP/1.1 431 "))
            let long = String(repeating: "a", count: 16_384)
            #expect(try await attempt.get("/callback?code=\(long)").hasPrefix("HTTP/1.1 431 "))
            let endless = try RawConnection(port: attempt.port)
            endless.send("GET /callback?code=\(long)")
            #expect(await endless.response().hasPrefix("HTTP/1.1 431 "))
            _ = try await attempt.get("/callback?code=1")
            #expect(try await attempt.answer.query() == "code=1")
        }

        @Test("Silent connections over the limit do not keep the browser out")
        func silentConnections() async throws {
            var limits = LoopbackLimits.unhurried
            limits.connection = .seconds(3600)
            let attempt = try await OpenAttempt(limits: limits)
            let silent = try (1...20).map { _ in try RawConnection(port: attempt.port) }
            silent.forEach { $0.send("GET /callback?code=slow HTTP/1.1\r\n") }
            // The first of them gave way, long before its time.
            #expect(await silent[0].response().isEmpty)
            _ = try await attempt.get("/callback?code=1")
            #expect(try await attempt.answer.query() == "code=1")
        }

        @Test("A connection that takes too long is closed")
        func slowConnection() async throws {
            var limits = LoopbackLimits.unhurried
            limits.connection = .milliseconds(20)
            let attempt = try await OpenAttempt(limits: limits)
            let slow = try RawConnection(port: attempt.port)
            slow.send("GET /callback")
            #expect(await slow.response().isEmpty)
            attempt.cancel()
            #expect(await attempt.error == SignInError(.authorization, .cancelled))
        }

        @Test("A request before the URL was opened is not accepted as the redirect")
        func early() async throws {
            let (opened, opening) = AsyncStream.makeStream(of: URL.self)
            let browser = LoopbackBrowser(appName: "Example", opener: .custom { opening.yield($0) })
            let attempt = try await browser.attempt(awaiting: RedirectURI("http://127.0.0.1/callback"))
            let port = attempt.redirectURI.port ?? 0
            let early = try RawConnection(port: port)
            early.send("GET /callback?code=early HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
            async let answer = attempt.open(OpenAttempt.page, accepting: .any)
            for await _ in opened { break }
            #expect(await early.response().isEmpty)
            let real = try RawConnection(port: port)
            real.send("GET /callback?code=real HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
            #expect(try await answer.query() == "code=real")
        }

        @Test("A redirect URI that is not on this machine is a configuration error")
        func notLoopback() async throws {
            let browser = LoopbackBrowser(appName: "Example", opener: .none)
            for text in ["com.example.app:/callback", "https://app.example.com/callback"] {
                let redirectURI = try RedirectURI(text)
                await #expect(
                    throws: SignInError(
                        .authorization,
                        .configuration(
                            "The browser on this machine can hand back a redirect to http://127.0.0.1, http://[::1] or "
                                + "http://localhost only: register such a redirect URI."
                        )
                    )
                ) { _ = try await browser.attempt(awaiting: redirectURI) }
            }
        }

        @Test("A loopback port that is in use is named in the error")
        func portInUse() async throws {
            let first = try await OpenAttempt()
            let browser = LoopbackBrowser(appName: "Example", opener: .none)
            let redirectURI = first.redirectURI
            await #expect(
                throws: SignInError(
                    .authorization,
                    .configuration(
                        "Port \(first.port) on 127.0.0.1 is in use by another program: end that program, or register a "
                            + "redirect URI without a port."
                    )
                )
            ) { _ = try await browser.attempt(awaiting: redirectURI) }
            first.cancel()
            #expect(await first.error == SignInError(.authorization, .cancelled))
        }

        @Test("A redirect URI with port 0 gets any free port")
        func portZero() async throws {
            let attempt = try await OpenAttempt("http://127.0.0.1:0/callback")
            #expect(attempt.port > 1023)
            attempt.cancel()
        }

        /// Returns an attempt whose port refuses connections at another address of this machine; `nil` when none of five did.
        ///
        /// Another program may use the same port there.
        private static func attempt(_ redirectURI: String, refusedAt host: String) async throws -> OpenAttempt? {
            for _ in 0..<5 {
                let attempt = try await OpenAttempt(redirectURI)
                do {
                    _ = try RawConnection(port: attempt.port, host: host)
                } catch is RawConnection.Refused {
                    return attempt
                }
                attempt.cancel()
            }
            return nil
        }

        @Test("A redirect URI with 127.0.0.1 listens on IPv4 only", .enabled(if: RawConnection.hasIPv6))
        func onlyIPv4() async throws {
            let attempt = try #require(try await Self.attempt("http://127.0.0.1/callback", refusedAt: "::1"))
            attempt.cancel()
        }

        @Test(
            "A redirect URI with [::1] listens on IPv6 only, and keeps that address",
            .enabled(if: RawConnection.hasIPv6)
        )
        func onlyIPv6() async throws {
            let attempt = try #require(try await Self.attempt("http://[::1]/callback", refusedAt: "127.0.0.1"))
            let head = "GET /callback?code=1 HTTP/1.1\r\nHost: [::1]:\(attempt.port)"
            #expect(try await attempt.send(head, host: "::1").hasPrefix("HTTP/1.1 303 "))
            #expect(try await attempt.answer.absoluteString == "http://[::1]:\(attempt.port)/callback?code=1")
        }

        @Test("A redirect URI with localhost listens on IPv4 and IPv6 at one port", .enabled(if: RawConnection.hasIPv6))
        func bothFamilies() async throws {
            let attempt = try await OpenAttempt("http://localhost/callback")
            let head = "GET /callback?code=1 HTTP/1.1\r\nHost: LocalHost:\(attempt.port)"
            #expect(try await attempt.send(head).hasPrefix("HTTP/1.1 303 "))
            #expect(try await attempt.send(head, host: "::1").hasPrefix("HTTP/1.1 410 "))
        }

        @Test("The listener closes once its final page was served")
        func settled() async throws {
            let attempt = try await OpenAttempt(limits: .unhurried)
            _ = try await attempt.get("/callback?code=1")
            _ = try await attempt.answer
            async let page = attempt.get("/done")
            await attempt.browser.settle()
            #expect(try await page.hasPrefix("HTTP/1.1 200 "))
            #expect(throws: RawConnection.Refused.self) { try RawConnection(port: attempt.port) }
        }

        @Test("The listener closes after a while when its final page is not requested")
        func lingering() async throws {
            var limits = LoopbackLimits.unhurried
            limits.linger = .milliseconds(20)
            let attempt = try await OpenAttempt(limits: limits)
            _ = try await attempt.get("/callback?code=1")
            _ = try await attempt.answer
            await attempt.browser.settle()
            #expect(throws: RawConnection.Refused.self) { try RawConnection(port: attempt.port) }
        }

        @Test("A loopback attempt opens one URL only")
        func openedTwice() async throws {
            let browser = LoopbackBrowser(appName: "Example", opener: .none, announce: { _ in })
            let attempt = try await browser.attempt(awaiting: RedirectURI("http://127.0.0.1/callback"))
            await attempt.abandon()
            await #expect(
                throws: SignInError(
                    .authorization,
                    .configuration("An attempt opens one URL: make another attempt for another.")
                )
            ) { _ = try await attempt.open(OpenAttempt.page, accepting: .any) }
        }

        @Test("An abandoned attempt releases its port")
        func dropped() async throws {
            let browser = LoopbackBrowser(appName: "Example", opener: .none)
            let redirectURI = try await browser.attempt(awaiting: RedirectURI("http://127.0.0.1/callback")).redirectURI
            try await browser.attempt(awaiting: redirectURI).abandon()
        }

        @Test("A loopback attempt refuses to open a URL that is not a web page")
        func otherSchemes() async throws {
            let browser = LoopbackBrowser(appName: "Example", opener: .custom { _ in Issue.record("It was opened") })
            let attempt = try await browser.attempt(awaiting: RedirectURI("http://127.0.0.1/callback"))
            await #expect(
                throws: SignInError(.authorization, .configuration("A browser is opened at an https URL only."))
            ) { _ = try await attempt.open(URL(string: "file:///etc/passwd")!, accepting: .any) }
            #expect(throws: RawConnection.Refused.self) { try RawConnection(port: attempt.redirectURI.port ?? 0) }
        }
    }

    extension RawConnection {
        /// Whether this machine has the IPv6 loopback address.
        static var hasIPv6: Bool { FileManager.default.fileExists(atPath: "/proc/net/if_inet6") || !isLinux }

        private static var isLinux: Bool {
            #if os(Linux)
                true
            #else
                false
            #endif
        }
    }
#endif
