import Foundation
import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("A backend in operation")
struct OperationTests {
    /// Counts what it is asked, and has so many expired entries.
    private final class Store: ExpiringStore {
        private let state: Lock<(left: Int, asked: [(Int, Date)])>

        init(_ count: Int) { state = Lock((count, [])) }

        var asked: [(Int, Date)] { state.withLock { $0.asked } }

        func removeExpired(limit: Int, now: Date) async throws(StorageFailure) -> Int {
            state.withLock { state in
                state.asked.append((limit, now))
                let count = min(limit, state.left)
                state.left -= count
                return count
            }
        }
    }

    @Test("The clean-up removes expired records in batches, pauses a minute, and ends with its task")
    func cleaning() async throws {
        let store = Store(1200)
        let clock = TestClock()
        let start = clock.now
        let rounds = Lock<[Int]>([])
        let task = Task {
            await store.removeExpiredContinuously(clock: clock.device) { result in
                let count = rounds.withLock { rounds in
                    rounds.append((try? result.get()) ?? -1)
                    return rounds.count
                }
                if count == 3 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        await task.value
        #expect(rounds.withLock { $0 } == [1200, 0, 0])
        #expect(store.asked.map(\.0) == [500, 500, 500, 500, 500])
        // What has just expired stays for who has a slower clock.
        let first = try #require(store.asked.first?.1)
        #expect((-75 ... -45).contains(first.timeIntervalSince(start)))
        #expect((135...225).contains(clock.now.timeIntervalSince(start)))
    }

    @Test("Readiness runs its checks concurrently, and caches the result for the configured time")
    func readiness() async throws {
        let asked = Lock(0)
        let gate = AsyncStream<Void>.makeStream()
        let endpoint = ReadinessEndpoint(
            [
                .init("waits for the other") {
                    for await _ in gate.stream {}
                    return .ready
                },
                .init("opens") {
                    asked.withLock { $0 += 1 }
                    gate.continuation.finish()
                    return .degraded
                },
            ],
            validFor: .seconds(3600)
        )
        for _ in 0..<3 {
            let answer = await endpoint.respond(to: ServerRequest())
            let checks = try JSONObject(parsing: answer.body)["checks"]?.object
            #expect(answer.status == .ok && checks?["opens"] == "degraded")
        }
        #expect(asked.withLock { $0 } == 1)
    }

    @Test("A proof with an RSA key over 4,096 bits is rejected before its signature is verified")
    func hugeKey() async throws {
        let store = LocalReplayStore()
        let proofs = try ProofChecking(origins: [ExternalOrigin(Fixtures.audience)], replays: store)
        let sessions = ServerSessions(
            client: try Client(id: "a", redirectURI: RedirectURI("a.b:/c")),
            keys: try KeySource(issuer: Fixtures.issuer, transport: ScriptedTransport()),
            store: MemoryServerStore(),
            sealing: SealingKeys(try .random()),
            dpop: proofs,
            transport: ScriptedTransport(),
            clock: Fixtures.clock
        )
        func refusal(_ count: Int) async -> SessionRefusal.Reason? {
            let signature = String(repeating: "A", count: count)
            let fields: HTTPFields = [.authorization: "DPoP handle", .dpop: "e30.e30." + signature]
            do throws(SessionRefusal) {
                _ = try await sessions.session(of: ServerRequest(fields: fields))
                return nil
            } catch {
                return error.reason
            }
        }
        #expect(await refusal(684) == .proof(.key))
        #expect(await refusal(683) != .proof(.key))
    }

    @Test("A refusal's log reason names stage and cause, and no text of the server's")
    func reasons() {
        let own = OAuthError(code: .init(rawValue: "a_code_of_its_own"), description: "words")
        #expect(RefusalReason(SignInError(.token, .refused(own))).name == "token_refused")
        let secret = RefusalReason(SignInError(.token, .refused(OAuthError(code: .invalidClient))))
        #expect(secret.name == "token_invalid_client" && secret.concern == .operator)
        #expect(secret.detail?.contains("client secret") == true)
        #expect(RefusalReason(SignInError(.redirect, .mismatch(.state))).concern == .client)
        #expect(RefusalReason(StorageFailure.locked).name == "store_locked")
        #expect(RefusalReason(SignInError(.refresh, .server(status: 99_999))).name == "refresh_status")
    }

    /// A store in which every key has presented too many proofs.
    private struct FullStore: ReplayStore {
        func insert(
            _ identifier: StoreDigest,
            owner: StoreDigest,
            until expiry: Date,
            now: Date
        ) async throws(StorageFailure) -> ReplayAnswer { .full }
        func contains(_ identifier: StoreDigest, now: Date) async throws(StorageFailure) -> Bool { false }
    }

    @Test("A key that presented too many proofs gets 429 with Retry-After")
    func tooManyProofs() async throws {
        let server = ResourceServer(
            keys: [try KeySource(issuer: Fixtures.issuer, transport: ScriptedTransport(), clock: Fixtures.clock)],
            dpop: try ProofChecking(origins: [ExternalOrigin(Proofs.origin)], replays: FullStore()),
            clock: Fixtures.clock
        )
        let policy = try AccessTokenPolicy(
            issuer: Fixtures.issuer,
            audience: Fixtures.audience,
            requiredScopes: ["orders:read"],
            binding: .dpop
        )
        let token = Proofs.token()
        let request = Proofs.request(token, [Proofs.proof(token)])
        guard case .refused(let refusal) = await (try server.resource(policy)).authorize(request) else {
            Issue.record("The request was granted.")
            return
        }
        #expect(refusal.reason == .proof(.tooMany))
        #expect(refusal.status == .tooManyRequests && refusal.fields[.retryAfter] == "10")
    }
}
