import Foundation
import Ostiary
import OstiaryCompatibility
import OstiaryTesting
import Testing

@Suite("ManualUserAgent", .timeLimit(.minutes(5)))
struct ManualUserAgentTests {
    private static let page = URL(string: "https://id.example.com/authorize")!

    @Test(
        "The manual user agent keeps every promise of a user agent",
        arguments: ["com.example.app:/callback", "http://127.0.0.1/callback"]
    )
    func contract(redirectURI: String) async throws {
        try await UserAgentCheck(redirectURI: RedirectURI(redirectURI), attempts: .oneAtATime) { person in
            return Self.userAgent(person, Shown())
        }.run()
    }

    private final class Shown: Sendable {
        let urls = Lock<[URL]>([])
    }

    private static func userAgent(_ person: UserAgentCheck.User, _ shown: Shown) -> ManualUserAgent {
        ManualUserAgent(
            show: { url in shown.urls.withLock { $0.append(url) } },
            read: {
                guard let url = shown.urls.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return nil }
                return try await person.redirect(for: url).absoluteString
            }
        )
    }

    @Test("Pasted white space is ignored, and an empty line is requested again")
    func trimmed() async throws {
        let (answer, asked) = await open(["", "  ", " com.example.app:/callback?code=1 \r"])
        #expect(answer == .success(URL(string: "com.example.app:/callback?code=1")!))
        #expect(asked == 3)
    }

    @Test("A pasted address that is not the redirect URI is requested again")
    func unrelated() async throws {
        let (answer, asked) = await open([
            "code=1", "https://id.example.com/authorize", "com.example.app:/other?code=1",
            "com.example.app:/callback?code=1&state=s",
        ])
        #expect(answer == .success(URL(string: "com.example.app:/callback?code=1&state=s")!))
        #expect(asked == 4)
    }

    @Test("Five wrong pasted lines end the attempt")
    func tries() async throws {
        let (answer, asked) = await open(Array(repeating: "no", count: 6))
        #expect(
            answer
                == .failure(
                    SignInError(.authorization, .malformed("what was pasted is not the address of a redirect"))
                )
        )
        #expect(asked == 5)
    }

    @Test("A pasted line of more than 64 KiB is ignored")
    func large() async throws {
        let (answer, asked) = await open(["com.example.app:/callback?code=" + String(repeating: "a", count: 65_536)])
        #expect(answer == .failure(SignInError(.authorization, .cancelled)))
        #expect(asked == 2)
    }

    @Test("The end of the pasted input cancels the attempt")
    func end() async throws {
        #expect(await open([]).0 == .failure(SignInError(.authorization, .cancelled)))
    }

    private func open(_ lines: [String]) async -> (Result<URL, SignInError>, Int) {
        let script = Lines(lines)
        let userAgent = ManualUserAgent(show: { #expect($0 == Self.page) }, read: { script.next() })
        do throws(SignInError) {
            let attempt = try await userAgent.attempt(awaiting: RedirectURI("com.example.app:/callback"))
            return (.success(try await attempt.open(Self.page, accepting: .any)), script.asked)
        } catch {
            return (.failure(error), script.asked)
        }
    }

    private final class Lines: Sendable {
        private let state: Lock<(lines: [String], asked: Int)>
        init(_ lines: [String]) { state = Lock((lines, 0)) }
        var asked: Int { state.withLock { $0.asked } }
        func next() -> String? {
            state.withLock { state in
                state.asked += 1
                return state.lines.isEmpty ? nil : state.lines.removeFirst()
            }
        }
    }
}

#if os(Linux) || os(macOS)
    @Suite("ManualUserAgent on a terminal", .timeLimit(.minutes(5)))
    struct TerminalTests {
        private let input = Pipe()
        private let output = Pipe()

        private func attempt() async throws -> UserAgentAttempt {
            let userAgent = ManualUserAgent.terminal(
                reading: input.fileHandleForReading.fileDescriptor,
                writing: output.fileHandleForWriting.fileDescriptor
            )
            return try await userAgent.attempt(awaiting: RedirectURI("com.example.app:/callback"))
        }

        @Test("The URL is printed alone on a line, and exactly one line is read")
        func line() async throws {
            try input.fileHandleForWriting.write(contentsOf: Data("\ncom.example.app:/callback?code=1\nrest".utf8))
            let page = URL(string: "https://id.example.com/authorize?a=1&b=2")!
            let redirect = try await attempt().open(page, accepting: .any)
            #expect(redirect.absoluteString == "com.example.app:/callback?code=1")
            let shown = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            #expect(shown.split(separator: "\n").contains(Substring(page.absoluteString)))
            try input.fileHandleForWriting.close()
            #expect(try input.fileHandleForReading.readToEnd() == Data("rest".utf8))
        }

        @Test("A last line without a line feed is read")
        func lastLine() async throws {
            try input.fileHandleForWriting.write(contentsOf: Data("com.example.app:/callback?code=1".utf8))
            try input.fileHandleForWriting.close()
            #expect(
                try await attempt().open(URL(string: "https://id.example.com/")!, accepting: .any).query() == "code=1"
            )
        }

        @Test("The end of standard input cancels the attempt")
        func end() async throws {
            try input.fileHandleForWriting.close()
            let attempt = try await attempt()
            await #expect(throws: SignInError(.authorization, .cancelled)) {
                try await attempt.open(URL(string: "https://id.example.com/")!, accepting: .any)
            }
        }

        @Test("Cancelling the task ends the reading, and consumes no input")
        func cancelled() async throws {
            let attempt = try await attempt()
            let opening = Task { try await attempt.open(URL(string: "https://id.example.com/")!, accepting: .any) }
            // The prompt is written before the line is awaited.
            _ = output.fileHandleForReading.availableData
            opening.cancel()
            let result = await opening.result
            #expect(throws: SignInError(.authorization, .cancelled)) { try result.get() }
            try input.fileHandleForWriting.write(contentsOf: Data("next\n".utf8))
            #expect(input.fileHandleForReading.availableData == Data("next\n".utf8))
        }
    }
#endif
