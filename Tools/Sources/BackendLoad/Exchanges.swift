import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OstiaryJOSE
import Synchronization

/// Apps that send their codes to the service, and repeat the request as apps do when no response comes.
struct Exchanges: Sendable {
    let provider: LoadProvider
    let client: HTTPClient
    let url: String
    let redirectURI: String
    /// The time for which an app waits for one response, and after which it gives up, in seconds.
    let patience: Double
    let figures = Figures("exchanges")
    /// The subjects of answered exchanges, each of which must be in the store.
    private let answered = Subjects()

    /// Hands in so many codes.
    ///
    /// - Returns: The subjects of those that were answered well.
    func run(_ goal: Goal, atOnce: Int, run: String) async -> [String] {
        figures.begin()
        await goal.reach(atOnce: atOnce) { number in
            await exchange("\(run)-\(number)", isDoubled: number % 10 == 0)
        }
        return answered.all
    }

    private func exchange(_ subject: String, isDoubled: Bool) async {
        let verifier = randomText()
        let body: JSONObject = [
            "code": .string(provider.code(for: subject, challenge: challenge(of: verifier))),
            "codeVerifier": .string(verifier), "redirectUri": .string(redirectURI), "iss": .string(provider.issuer),
        ]
        let bytes = ByteBuffer(bytes: body.encoded())
        let began = ContinuousClock.now
        // One in ten apps sends the same request twice at once, as a nervous network layer does.
        async let twin: Void = isDoubled ? ask(subject, bytes) : ()
        await ask(subject, bytes)
        await twin
        figures.add(ContinuousClock.now - began)
    }

    /// Repeats the request until there is a final response.
    private func ask(_ subject: String, _ body: ByteBuffer) async {
        let patience = Patience(patience)
        for attempt in 0..<20 where !patience.isOver {
            let answer = await client.ask(.POST, url, [], body, within: self.patience)
            if answer.status == 200 {
                let isRight = answer.body["sub"] == .string(subject)
                if answer.body["ok"] == true, isRight { answered.add(subject) }
                figures.count(isRight ? "200" : "200 for another user")
                return
            }
            figures.count(answer.kind)
            guard answer.mayBeAskedAgain else { return }
            await pause(before: attempt)
        }
        figures.count("given up")
    }
}

/// Names that come from many tasks.
final class Subjects: Sendable {
    private let names = Mutex<Set<String>>([])
    var all: [String] { names.withLock { Array($0) } }
    func add(_ name: String) { _ = names.withLock { $0.insert(name) } }
}
