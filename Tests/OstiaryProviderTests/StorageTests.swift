import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Storage")
struct StorageTests {
    private static let now = Date(timeIntervalSince1970: 1000)

    private func record(_ key: String, family: String? = nil, session: String? = nil, expires: Double? = nil)
        -> ProviderRecord
    {
        ProviderRecord(
            kind: .refreshToken,
            key: key,
            family: family,
            session: session,
            value: ["key": .string(key)],
            expires: expires.map { Date(timeIntervalSince1970: $0) }
        )
    }

    @Test("The first use of a record is distinguished from the next")
    func use() async {
        let storage = MemoryProviderStorage()
        await storage.put(record("a"))
        #expect(await storage.use(.refreshToken, "a") == .first(record("a")))
        #expect(await storage.use(.refreshToken, "a") == .again(record("a")))
        #expect(await storage.use(.refreshToken, "b") == .absent)
        #expect(await storage.use(.accessToken, "a") == .absent)
    }

    @Test("A record is added once, also after it was used or has expired")
    func add() async {
        let storage = MemoryProviderStorage()
        #expect(await storage.add(record("a", expires: 0)))
        #expect(await !storage.add(record("a", family: "f")))
        _ = await storage.use(.refreshToken, "a")
        #expect(await !storage.add(record("a", family: "f")))
        #expect(await storage.use(.refreshToken, "a") == .again(record("a", expires: 0)))
    }

    @Test("Asking whether a record was used does not use it")
    func wasUsed() async {
        let storage = MemoryProviderStorage()
        await storage.put(record("a"))
        #expect(await !storage.wasUsed(.refreshToken, "a"))
        #expect(await storage.use(.refreshToken, "a") == .first(record("a")))
        #expect(await storage.wasUsed(.refreshToken, "a"))
        #expect(await !storage.wasUsed(.refreshToken, "b"))
    }

    @Test("A used record can still be read")
    func readAfterUse() async {
        let storage = MemoryProviderStorage()
        await storage.put(record("a"))
        _ = await storage.use(.refreshToken, "a")
        #expect(await storage.record(.refreshToken, "a") == record("a"))
    }

    @Test("Records are removed by key, family, session or age")
    func remove() async {
        let storage = MemoryProviderStorage()
        let records = [
            record("a"), record("b", family: "f"), record("c", session: "s"), record("d", expires: 1000),
            record("e", expires: 1001),
        ]
        for record in records { await storage.put(record) }
        await storage.remove(.key(.refreshToken, "a"))
        await storage.remove(.family("f"))
        await storage.remove(.session("s"))
        await storage.remove(.expired(at: Self.now))
        #expect(await storage.records(.refreshToken) == [record("e", expires: 1001)])
    }

    @Test("Codes, tokens, session cookies and passwords are stored as digests only")
    func digests() async throws {
        let storage = MemoryProviderStorage()
        let world = try World(storage: storage)
        let browser = world.browser()
        let code = try await world.code(in: browser)
        let tokens = try Tokens(await world.post("/token", .codeGrant(code)))
        let page = try #require(await world.browser().authorize().loginPage)
        var kept = ""
        for kind in ProviderRecord.Kind.allCases {
            for record in await storage.records(kind) {
                kept += record.key + String(decoding: record.value.encoded(), as: UTF8.self)
            }
        }
        let cookies = [browser.cookie("session"), browser.cookie("browser")]
        let secrets = [code, tokens.access, tokens.refresh, tokens.id] + cookies + page.form.hiddenFields.map(\.value)
        for secret in secrets { #expect(!kept.contains(try #require(secret))) }
        #expect(!kept.contains("correct horse"))
    }

    @Test("Records are encoded and read back unchanged")
    func writtenDown() async throws {
        let world = try World(storage: WritingStorage())
        let browser = world.browser()
        let consent = try await browser.follow(await browser.signIn(.authorization { $0[.clientID] = "stranger" }))
        #expect(await browser.submit(try #require(consent.consentPage).form).redirect?.parameters[.code] != nil)
        let first = try await world.tokens()
        let second = try Tokens(await world.refresh(try #require(first.refresh)))
        #expect(await world.userInfo(second.access).status == .ok)
        #expect(await world.refresh(try #require(first.refresh)).error == "invalid_grant")
    }

    @Test("Expired records are removed")
    func cleaning() async throws {
        let storage = MemoryProviderStorage()
        let world = try World(storage: storage)
        _ = try await world.tokens(.authorization { $0[.scope] = "openid" })
        world.clock.advance(by: .seconds(31 * 86_400))
        _ = await world.get("/jwks")
        for kind in ProviderRecord.Kind.allCases where kind != .signingKey {
            #expect(await storage.records(kind).isEmpty)
        }
    }

    @Test("Printing a record, a request or a response shows none of its content")
    func redaction() async throws {
        let record = record("secret-key", family: "secret-family")
        let request = ProviderRequest(path: "/token", query: "secret-query", body: Array("secret-body".utf8))
        let response = ProviderResponse(status: .ok, content: .bytes(Array("secret-body".utf8)))
        for value in [record, request, response] as [Any] {
            var text = "\(value)"
            dump(value, to: &text)
            #expect(!text.contains("secret"))
        }
    }
}

/// Keeps what is left of a record's content after it was written as JSON and read again.
private struct WritingStorage: StorageOverMemory {
    let memory = MemoryProviderStorage()

    func put(_ record: ProviderRecord) async throws(ProviderStorageFailure) {
        var written = record
        guard let value = try? JSONObject(parsing: record.value.encoded()) else {
            throw ProviderStorageFailure("writing")
        }
        written.value = value
        await memory.put(written)
    }
}
