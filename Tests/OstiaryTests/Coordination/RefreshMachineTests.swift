import Foundation
import Ostiary
import OstiaryOAuth
import Testing

/// The machine by itself: events in, actions out.
@Suite("The decisions of a refresh")
struct RefreshMachineTests {
    private typealias Machine = RefreshMachine<SimulatedTokens>
    private typealias Record = SessionRecord<SimulatedTokens>

    private static let refused = SignInError(.refresh, .refused(OAuthError(code: .invalidGrant)))
    private static let busy = SignInError(.refresh, .server(status: 503), retryAfter: 100)
    private static let start = Date(timeIntervalSince1970: 1_000_000)

    private static func moment(after seconds: Double = 0) -> Machine.Moment {
        .init(ClockReading(start.addingTimeInterval(seconds), isConfirmed: true), uptime: seconds, jitter: 0)
    }

    private static func tokens(_ refreshToken: Int, lasting seconds: Double = 900) -> SimulatedTokens {
        let expiry = start.addingTimeInterval(seconds)
        return SimulatedTokens(
            refreshToken: refreshToken,
            access: [0: .init(serial: refreshToken * 10, expiry: expiry)]
        )
    }

    /// A machine whose request is on its way, and what it has stored.
    private static func sending() -> (Machine, Record) {
        let record = Record(id: "session", tokens: tokens(1))
        var machine = Machine(record, replay: .init(window: 30))
        _ = machine.handle(.asked(.init(id: 1, target: 0, need: .other(than: 10))), at: moment())
        _ = machine.handle(.locked, at: moment())
        let mark = machine.handle(.read(record), at: moment())
        guard case .swap(_, let marked?)? = mark.first else {
            Issue.record("\(mark)")
            return (machine, record)
        }
        let sent = machine.handle(.swapped(.done), at: moment())
        #expect(sent == [.send(marked, 1, 0)])
        return (machine, marked)
    }

    @Test("After the lock was lost, a refusal removes nothing before the lock is held and the store read again")
    func refusedWithoutLock() {
        var (machine, marked) = Self.sending()
        #expect(machine.handle(.suspending, at: Self.moment()) == [.unlock])
        // Another process has the lock meanwhile, and has marked the same token.
        let other = marked.followed(journal: marked.journal)
        #expect(machine.handle(.answered(.failed(Self.refused)), at: Self.moment()) == [.lock])
        #expect(machine.handle(.locked, at: Self.moment()) == [.read])
        // It has died: nobody can know what the server gave it.
        #expect(machine.handle(.read(other), at: Self.moment()) == [.swap(other, nil)])
        #expect(
            machine.handle(.swapped(.done), at: Self.moment())
                == [.ended(.lostRotation), .answer(1, .failure(Self.refused)), .unlock]
        )
    }

    @Test("What another process has bought meanwhile outlives a refusal of the token before")
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

    @Test("A refusal without the lock ends what nobody has touched as what it is")
    func refusedAndUntouched() {
        var (machine, marked) = Self.sending()
        _ = machine.handle(.suspending, at: Self.moment())
        _ = machine.handle(.answered(.failed(Self.refused)), at: Self.moment())
        _ = machine.handle(.locked, at: Self.moment())
        #expect(machine.handle(.read(marked), at: Self.moment()) == [.swap(marked, nil)])
        #expect(machine.handle(.swapped(.done), at: Self.moment()).first == .ended(.revoked))
    }

    @Test("While a server is left alone the store is read, once a second at most, and no lock is taken")
    func heldOff() {
        var (machine, marked) = Self.sending()
        _ = machine.handle(.answered(.failed(Self.busy)), at: Self.moment())
        let unmarked = marked.followed()
        _ = machine.handle(.swapped(.done), at: Self.moment())
        func ask(_ id: Int, after seconds: Double) -> [Machine.Action] {
            machine.handle(
                .asked(.init(id: id, target: 0, need: .lasting(.atLeast(1000)))),
                at: Self.moment(after: seconds)
            )
        }
        func refusal(_ id: Int, after seconds: Double) -> Machine.Action {
            var error = Self.busy
            error.retryAfter = 100 - seconds
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
}
