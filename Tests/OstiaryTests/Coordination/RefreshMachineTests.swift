import Foundation
import Ostiary
import OstiaryOAuth
import Testing

/// The machine by itself: events in, actions out.
@Suite("The decisions of a refresh")
struct RefreshMachineTests {
    private typealias Machine = RefreshMachine
    private typealias Record = StoredSession

    private static let refused = SignInError(.refresh, .refused(OAuthError(code: .invalidGrant)))
    private static let busy = SignInError(.refresh, .server(status: 503), retryAfter: .seconds(100))
    /// The need of a caller whose access token was refused.
    private static let another = Machine.Need.other(than: Secret(number: 10))
    private static let start = Date(timeIntervalSince1970: 1_000_000)

    private static func moment(after seconds: Double = 0) -> Machine.Moment {
        .init(ClockReading(start.addingTimeInterval(seconds), isConfirmed: true), uptime: seconds, jitter: 0)
    }

    private static func tokens(
        _ refreshToken: Int,
        lasting seconds: Double = 900,
        of user: String = "alice"
    ) -> TokenSet {
        let access = AccessToken(number: refreshToken * 10, received: start, lifetime: seconds)
        return TokenSet.issued(to: user, refreshToken: refreshToken, access: access)
    }

    /// A machine whose request is on its way, and what it has stored.
    private static func sending() -> (Machine, Record) {
        let record = Record(id: "session", tokens: tokens(1))
        var machine = Machine(record, replay: .init(window: 30))
        _ = machine.handle(.asked(.init(id: 1, target: .signIn, need: Self.another)), at: moment())
        _ = machine.handle(.locked, at: moment())
        let mark = machine.handle(.read(record), at: moment())
        guard case .swap(_, let marked?)? = mark.first else {
            Issue.record("\(mark)")
            return (machine, record)
        }
        let sent = machine.handle(.swapped(.done), at: moment())
        #expect(sent == [.send(marked, Secret(number: 1), .signIn)])
        return (machine, marked)
    }

    @Test("The refresh token of an unchecked response is kept over the mark of another process")
    func keptOverAnotherMark() {
        var (machine, marked) = Self.sending()
        let other = marked.followed(journal: marked.journal)
        let answered = machine.handle(.answered(.unchecked(.new(Secret(number: 2)))), at: Self.moment())
        guard case .swap(marked, let kept?)? = answered.first else {
            Issue.record("Nothing is kept.")
            return
        }
        #expect(kept.newestRefreshToken?.number == 2)
        let again = other.followed(journal: kept.journal)
        #expect(machine.handle(.swapped(.found(other)), at: Self.moment()) == [.swap(other, again)])
        #expect(machine.handle(.swapped(.done), at: Self.moment()) == [.check])
    }

    @Test("After the lock was lost, a refusal removes nothing before the lock is held and the store read again")
    func refusedWithoutLock() {
        var (machine, marked) = Self.sending()
        #expect(machine.handle(.suspending, at: Self.moment()) == [.unlock])
        // Another process has the lock meanwhile, and has marked the same token.
        let other = marked.followed(journal: marked.journal)
        #expect(machine.handle(.answered(.failed(Self.refused)), at: Self.moment()) == [.lock])
        #expect(machine.handle(.locked, at: Self.moment()) == [.read])
        // It has died: no process can know what the server gave it.
        #expect(machine.handle(.read(other), at: Self.moment()) == [.swap(other, nil)])
        #expect(
            machine.handle(.swapped(.done), at: Self.moment())
                == [.ended(.lostRotation), .answer(1, .failure(Self.refused)), .unlock]
        )
    }

    @Test(
        "Late tokens of a replaced session are revoked only when the new session is of another user",
        arguments: [
            true, false,
        ]
    )
    func replaced(isOfOneUser: Bool) {
        let record = Record(id: "session", tokens: Self.tokens(1))
        var machine = Machine(record, replay: .init(window: 30))
        _ = machine.handle(.asked(.init(id: 1, target: .signIn, need: Self.another)), at: Self.moment())
        _ = machine.handle(.locked, at: Self.moment())
        _ = machine.handle(.read(record), at: Self.moment())
        _ = machine.handle(.swapped(.done), at: Self.moment())
        let other = Self.tokens(9, of: isOfOneUser ? "alice" : "bob")
        #expect(
            machine.handle(.replaced(Record(id: "another", tokens: other)), at: Self.moment()) == [.ended(.replaced)]
        )
        let actions = machine.handle(.answered(.tokens(Self.tokens(2))), at: Self.moment())
        #expect(
            actions
                == (isOfOneUser
                    ? [.answer(1, .failure(SignInError(.refresh, .signInRequired))), .unlock]
                    : [.revoke(Self.tokens(2))])
        )
    }

    @Test("Tokens renewed by another process survive the rejection of the earlier refresh token")
    func refusedAfterRenewal() {
        var (machine, marked) = Self.sending()
        _ = machine.handle(.suspending, at: Self.moment())
        _ = machine.handle(.answered(.failed(Self.refused)), at: Self.moment())
        _ = machine.handle(.locked, at: Self.moment())
        let renewed = marked.followed().followed(by: Self.tokens(2))
        let actions = machine.handle(.read(renewed), at: Self.moment())
        #expect(actions.contains(.answer(1, .success(renewed.tokens))) && actions.last == .unlock)
        #expect(machine.end == nil && machine.record == renewed)
    }

    @Test("A rejection without the lock ends an unchanged session as revoked")
    func refusedAndUntouched() {
        var (machine, marked) = Self.sending()
        _ = machine.handle(.suspending, at: Self.moment())
        _ = machine.handle(.answered(.failed(Self.refused)), at: Self.moment())
        _ = machine.handle(.locked, at: Self.moment())
        #expect(machine.handle(.read(marked), at: Self.moment()) == [.swap(marked, nil)])
        #expect(machine.handle(.swapped(.done), at: Self.moment()).first == .ended(.revoked))
    }

    @Test("During a pause the store is read at most once a second, and no lock is taken")
    func heldOff() {
        var (machine, marked) = Self.sending()
        _ = machine.handle(.answered(.failed(Self.busy)), at: Self.moment())
        let unmarked = marked.followed()
        _ = machine.handle(.swapped(.done), at: Self.moment())
        func ask(_ id: Int, after seconds: Double) -> [Machine.Action] {
            machine.handle(
                .asked(.init(id: id, target: .signIn, need: .lasting(.atLeast(1000)))),
                at: Self.moment(after: seconds)
            )
        }
        func refusal(_ id: Int, after seconds: Double) -> Machine.Action {
            var error = Self.busy
            error.retryAfter = .seconds(100 - seconds)
            return .answer(id, .failure(error))
        }
        #expect(ask(2, after: 10) == [.read])
        #expect(ask(3, after: 10).isEmpty)
        #expect(
            machine.handle(.read(unmarked), at: Self.moment(after: 10)) == [
                refusal(2, after: 10), refusal(3, after: 10),
            ]
        )
        #expect(ask(4, after: 10.5) == [refusal(4, after: 10.5)])
        #expect(ask(5, after: 12) == [.read])
        let renewed = unmarked.followed(by: Self.tokens(2, lasting: 2000))
        #expect(
            machine.handle(.read(renewed), at: Self.moment(after: 12)).contains(.answer(5, .success(renewed.tokens)))
        )
    }

    // MARK: What an answer leaves

    private static let unusable = SignInError(.identity, .mismatch(.audience))
    private static let foreign = SignInError(.identity, .mismatch(.subject))
    private static let unavailable = SignInError(.storage, .storage(.unavailable))

    @Test("A response that fails a check leaves its refresh token in the store and hands out nothing")
    func unusableAnswer() {
        var (machine, marked) = Self.sending()
        let kept = marked.followed(journal: .init(candidate: Secret(number: 2)))
        #expect(
            machine.handle(.answered(.rejected(Self.unusable, .new(Secret(number: 2)))), at: Self.moment()) == [
                .swap(marked, kept)
            ]
        )
        #expect(
            machine.handle(.swapped(.done), at: Self.moment()) == [.answer(1, .failure(Self.unusable)), .unlock]
        )
        #expect(machine.record == kept && machine.record.tokens == Self.tokens(1) && machine.end == nil)
        // The next refresh presents it.
        _ = machine.handle(.asked(.init(id: 2, target: .signIn, need: Self.another)), at: Self.moment(after: 1))
        _ = machine.handle(.locked, at: Self.moment(after: 1))
        _ = machine.handle(.read(kept), at: Self.moment(after: 1))
        guard case .send(_, let token, .signIn)? = machine.handle(.swapped(.done), at: Self.moment(after: 1)).first,
            token.number == 2
        else {
            Issue.record("Another refresh token was presented.")
            return
        }
    }

    @Test("An answer that failed a check and has no new refresh token leaves the presented one, without a mark")
    func unrotated() {
        var (machine, marked) = Self.sending()
        let unmarked = marked.followed()
        #expect(
            machine.handle(.answered(.rejected(Self.unusable, .unchanged)), at: Self.moment())
                == [.swap(marked, unmarked)]
        )
        _ = machine.handle(.swapped(.done), at: Self.moment())
        #expect(machine.record == unmarked && machine.record.journal.isEmpty)
    }

    @Test("A response about another session is not stored, and the mark stays")
    func foreignAnswer() {
        var (machine, marked) = Self.sending()
        #expect(
            machine.handle(.answered(.rejected(Self.foreign, .foreign)), at: Self.moment())
                == [.answer(1, .failure(Self.foreign)), .unlock]
        )
        #expect(machine.record == marked && machine.record.journal.candidate == nil)
    }

    /// A machine with tokens that could not be stored, and the value that is stored instead of them.
    private static func unstored() -> (Machine, Record) {
        var (machine, marked) = sending()
        _ = machine.handle(.suspending, at: moment())
        _ = machine.handle(.answered(.tokens(tokens(2))), at: moment())
        let actions = machine.handle(.swapped(.failed(.unavailable)), at: moment())
        #expect(actions.contains(.answer(1, .failure(unavailable))))
        #expect(machine.record.tokens == tokens(2) && !machine.isSaved)
        return (machine, marked)
    }

    @Test("Tokens that could not be stored are stored over a mark that another process has written since")
    func markedSince() {
        var (machine, marked) = Self.unstored()
        // It has the same revision as the tokens, or a higher one, and no successor.
        for revision in [machine.record.revision, machine.record.revision + 3] {
            var machine = machine
            let other = Record(id: marked.id, revision: revision, tokens: marked.tokens, journal: marked.journal)
            _ = machine.handle(.noticed(other), at: Self.moment(after: 1))
            #expect(machine.record.tokens == Self.tokens(2) && !machine.isSaved)
            _ = machine.handle(.asked(.init(id: 2, target: .signIn, need: Self.another)), at: Self.moment(after: 1))
            _ = machine.handle(.locked, at: Self.moment(after: 1))
            // The server may have taken the other process's request for a reuse: a refusal would not be a revocation.
            let mark = RotationJournal(mark: .init(since: Self.moment(after: 1).reading.date))
            let new = other.followed(by: Self.tokens(2), journal: mark)
            #expect(machine.handle(.read(other), at: Self.moment(after: 1)) == [.swap(other, new)])
            let actions = machine.handle(.swapped(.done), at: Self.moment(after: 1))
            #expect(actions.contains(.answer(2, .success(Self.tokens(2)))) && machine.isSaved)
        }
        _ = machine.handle(.sessionEnded(.userAction), at: Self.moment(after: 2))
    }

    @Test("Tokens that could not be stored give way to the successor that another process has stored")
    func succeededSince() {
        var (machine, marked) = Self.unstored()
        let other = marked.followed().followed(by: Self.tokens(3))
        _ = machine.handle(.noticed(other), at: Self.moment(after: 1))
        #expect(machine.record == other && machine.isSaved)
    }

    @Test("An older stored value does not replace tokens that could not be stored")
    func olderNotice() {
        var (machine, marked) = Self.unstored()
        _ = machine.handle(.noticed(marked), at: Self.moment(after: 1))
        #expect(machine.record.tokens == Self.tokens(2) && !machine.isSaved)
        var old = marked
        old.revision = 0
        old.tokens = Self.tokens(0)
        _ = machine.handle(.noticed(old), at: Self.moment(after: 1))
        #expect(machine.record.tokens == Self.tokens(2) && !machine.isSaved)
    }

    @Test("The window for a repetition counts from the first mark, also in another process")
    func oldMark() {
        let since = Self.start.addingTimeInterval(-31)
        let record = Record(id: "session", tokens: Self.tokens(1), journal: .init(mark: .init(since: since)))
        var machine = Machine(record, replay: .init(window: 30))
        _ = machine.handle(.asked(.init(id: 1, target: .signIn, need: Self.another)), at: Self.moment())
        _ = machine.handle(.locked, at: Self.moment())
        let marked = record.followed(journal: record.journal)
        #expect(machine.handle(.read(record), at: Self.moment()) == [.swap(record, marked)])
        _ = machine.handle(.swapped(.done), at: Self.moment())
        let lost = SignInError(.refresh, .transport(.interrupted))
        #expect(machine.handle(.answered(.failed(lost)), at: Self.moment()) == [.answer(1, .failure(lost)), .unlock])
    }

    @Test("An answer that is too large is not requested again")
    func tooLarge() {
        var (machine, _) = Self.sending()
        let error = SignInError(.refresh, .transport(.tooLarge))
        #expect(
            machine.handle(.answered(.failed(error)), at: Self.moment()) == [.answer(1, .failure(error)), .unlock]
        )
        #expect(machine.record.journal.mark != nil && machine.end == nil)
    }
}
