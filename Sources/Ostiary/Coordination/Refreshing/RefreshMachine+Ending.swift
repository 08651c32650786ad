import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The end of a session, and its effect on a refresh in progress.
extension RefreshMachine {
    /// Ends the session in this process.
    mutating func finish(as reason: Session.End, telling error: SignInError = .sessionOver) {
        guard end == nil else { return }
        end = reason
        actions.append(.ended(reason))
        // Callers of a refresh in progress are answered after its tokens have been revoked: a process that ends with
        // the answer must not leave valid tokens behind.
        if flight?.phase.mayBringTokens == true { return }
        answer(.failure(error))
    }

    /// Ends the session that a sign-in has replaced.
    mutating func finish(replacedBy other: Record) {
        spare(other)
        finish(as: .replaced)
    }

    /// Keeps late tokens from being revoked when the session that replaced this one may be of the same user.
    ///
    /// A server may end every grant of that user to the client with them (RFC 7009 section 2.1).
    private mutating func spare(_ other: Record) {
        if !other.tokens.isOfAnotherUser(than: record.tokens) { mayRevoke = false }
    }

    /// Ends the session when the stored value was removed, or replaced by another sign-in.
    ///
    /// - Returns: Whether the session has ended.
    mutating func endsIfGone(_ found: Record?) -> Bool {
        if let found, found.id == record.id { return false }
        if let found { spare(found) }
        // Before the end is reported, so that waiting callers are answered after the revocation.
        let isRevoking = !isSaved && mayRevoke
        if isRevoking { giveBack(record.tokens) }
        finish(as: found != nil ? .replaced : isLeaving ? .userAction : .removedElsewhere)
        if !isRevoking {
            answer(.failure(.sessionOver))
            land()
        }
        return true
    }

    /// Ends the session because the server rejected the refresh token, unless another one is stored by now.
    ///
    /// The value is removed only under the lock. Another process that has taken the lock meanwhile may rely on its own
    /// mark of the same token, and would find nothing to store its new tokens over.
    mutating func remove(_ stored: Record, for error: SignInError, _ moment: Moment) {
        if flight?.lostLock == true {
            flight?.refusal = error
            flight?.lostLock = false
            return step(to: .locking, .lock)
        }
        let isOld = stored.tokens.refreshTokenExpiry.map { $0 <= moment.now } ?? false
        let reason: Session.End = flight?.isUncertain == true ? .lostRotation : isOld ? .expired : .revoked
        step(to: .removing(error, reason), .swap(stored, nil))
    }

    mutating func afterRemoving(_ error: SignInError, _ reason: Session.End, _ swap: Swap, _ moment: Moment) {
        switch swap {
        case .done, .found(nil): finish(as: reason, telling: error)
        case .found(let other?) where other.id == record.id:
            guard isShown(other) else { return beginAgain(with: other, moment) }
            flight?.surprises += 1
            return remove(other, for: error, moment)
        case .found(let other?): finish(replacedBy: other)
        case .failed(let failure): finish(as: reason, telling: SignInError(.storage, .storage(failure)))
        }
        land()
    }

    /// Handles the rest of a refresh after the session has ended: its tokens must not be kept.
    mutating func continueAfterEnd(_ event: Event) {
        switch event {
        case .answered(.tokens(let tokens)), .checked(.tokens(let tokens)): return giveBack(tokens)
        case .answered(.unchecked): return step(to: .checking, .check)
        case .swapped:
            switch flight?.phase {
            case .storing(let new): return giveBack(new.tokens)
            case .keeping: return step(to: .checking, .check)
            default: break
            }
        case .rested:
            switch flight?.phase {
            case .waitingToStore(let new): return giveBack(new.tokens)
            case .waitingToRepeat: break
            // The purpose of the step has been fulfilled earlier.
            default: return
            }
        default: break
        }
        answer(.failure(.sessionOver))
        land()
    }

    private mutating func giveBack(_ tokens: Tokens) {
        guard mayRevoke else {
            answer(.failure(.sessionOver))
            return land()
        }
        step(to: .revoking, .revoke(tokens))
    }
}

extension SignInError {
    /// The error for every caller of a session that has ended.
    static let sessionOver = SignInError(.refresh, .signInRequired)
}
