import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OstiaryJOSE
import OstiaryOAuth
import Synchronization

/// Apps that hand their codes to the service, and ask again as apps do when no answer comes.
struct Exchanges: Sendable {
    let provider: LoadProvider
    let client: HTTPClient
    let url: String
    let redirectURI: String
    let figures = Figures("exchanges")
    /// The subjects of answered exchanges, each of which has to be in the store.
    private let answered = Subjects()

    /// Hands in so many codes.
    ///
    /// - Returns: The subjects of those that were answered well.
    func run(_ count: Int, atOnce: Int, run: String) async -> [String] {
        await times(count, atOnce: atOnce) { number in
            await exchange("\(run)-\(number)", isDoubled: number % 10 == 0)
        }
        return answered.all
    }

    private func exchange(_ subject: String, isDoubled: Bool) async {
        let verifier = Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        let challenge = Base64URL.encode(HashAlgorithm.sha256.hash(Array(verifier.utf8)))
        let body: JSONObject = [
            "code": .string(provider.code(for: subject, challenge: challenge)), "codeVerifier": .string(verifier),
            "redirectUri": .string(redirectURI), "iss": .string(provider.issuer),
        ]
        let bytes = ByteBuffer(bytes: body.encoded())
        let began = ContinuousClock.now
        // One in ten apps sends the same request twice at once, as a nervous network layer does.
        async let twin: Void = isDoubled ? ask(subject, bytes) : ()
        await ask(subject, bytes)
        await twin
        figures.add(ContinuousClock.now - began)
    }

    /// Asks until there is an answer that asking again would not change.
    private func ask(_ subject: String, _ body: ByteBuffer) async {
        for attempt in 0..<8 {
            var request = HTTPClientRequest(url: url)
            request.method = .POST
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(body)
            let kind: String
            do {
                let response = try await client.execute(request, timeout: .seconds(15))
                let bytes = try await response.body.collect(upTo: 65_536)
                if response.status == .ok {
                    let answer = try JSONObject(parsing: Array(bytes.readableBytesView))
                    if answer["ok"] == true, answer["sub"] == .string(subject) { answered.add(subject) }
                    figures.count(answer["sub"] == .string(subject) ? "200" : "200 for somebody else")
                    return
                }
                kind = "\(response.status.code)"
                figures.count(kind)
                guard [429, 502, 503, 504].contains(response.status.code) else { return }
            } catch {
                figures.count("no answer")
            }
            try? await Task.sleep(for: .milliseconds(min(1000, 50 << min(attempt, 5))))
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
