import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import Testing

@testable import OstiaryProvider

@Suite("The journal of requests")
struct RequestJournalTests {
    @Test("The exchanges that are kept have a bounded size, whatever clients send")
    func size() async throws {
        let world = try World { $0.inspector = .present }
        _ = await world.get("/jwks")
        var form = Parameters()
        for _ in 1...50 { form.append(String(repeating: "\u{10FFFF}", count: 64), for: .scope) }
        _ = await world.post("/token", form)
        let exchanges = world.provider.recordedExchanges().exchanges
        let (small, large) = (exchanges[0], try #require(exchanges.last))
        #expect(large.parameters["scope"]?.array?.count == 50 && large.object.encoded().count > 30_000)
        let journal = RequestJournal(capacity: 100, maximumSize: 1_048_576)
        for _ in 1...90 { journal.append(large) }
        var kept = journal.exchanges(after: 0, maximum: .max)
        let size = kept.exchanges.reduce(0) { $0 + $1.object.encoded().count }
        #expect(size > 800_000 && size <= 1_048_576)
        #expect(kept.exchanges.map(\.number) == Array(kept.first...90))
        // The room of those that were dropped is there again, and the number is bounded as well.
        for _ in 1...200 { journal.append(small) }
        kept = journal.exchanges(after: 0, maximum: .max)
        #expect(kept.exchanges.map(\.number) == Array(191...290))
        journal.clear()
        for _ in 1...25 { journal.append(large) }
        #expect(journal.exchanges(after: 0, maximum: .max).exchanges.count == 25)
    }
}
