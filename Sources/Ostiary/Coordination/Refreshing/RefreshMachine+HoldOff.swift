import OstiaryOAuth

/// What becomes of callers while the server is to be left alone, or fails.
extension RefreshMachine {
    /// What to tell a caller for whom the server shall not be asked now; `nil` when it may be.
    func refusal(of question: Question, _ moment: Moment) -> SignInError? {
        guard case .lasting = question.need, isSaved else { return nil }
        return holdOff.refusal(at: moment.uptime)
    }

    /// Whether the store may be looked at for a caller who is held off.
    ///
    /// Another process may have renewed what this one may not ask for. Callers who ask many times a second share one look.
    func mayLook(at uptime: Double) -> Bool {
        guard let flight else { return lastLook.map { uptime - $0 >= Self.lookInterval } ?? true }
        return flight.phase.isLooking
    }

    /// Looks at the store without the lock: nothing will be sent.
    mutating func look(_ moment: Moment) {
        lastLook = moment.uptime
        flight = Flight(phase: .looking)
        actions.append(.read)
    }

    /// Takes over what another process has stored; who is not helped by it is refused.
    ///
    /// - Parameter found: What was read; a failure to read changes nothing.
    mutating func afterLooking(_ found: Result<Record?, SignInError>, _ moment: Moment) {
        if case .success(let found) = found {
            if endsIfGone(found) { return }
            if let found { notice(found, moment) }
        }
        refuse(moment)
        land()
    }

    /// Refuses everybody for whom the server shall not be asked now.
    mutating func refuse(_ moment: Moment) {
        let questions = waiting
        waiting = []
        for question in questions {
            if let refusal = refusal(of: question, moment) {
                actions.append(.answer(question.id, result(of: refusal, for: question)))
            } else {
                waiting.append(question)
            }
        }
    }

    /// What a caller gets whose refresh failed: the error, or the token that was to be renewed early and is still good.
    ///
    /// A caller who asked for a token that lasts for some time gets the error, and so does every caller when the failure is
    /// not one that passes. A store that cannot be written is one: the session in it is safe.
    func result(of error: SignInError, for question: Question) -> Result<Tokens, SignInError> {
        guard case .lasting(.usually) = question.need, error.recovery == .retry || error.isOfUnusableStore, let reading,
            let tokens = tokens(
                for: question.target,
                meeting: .lasting(.usually(Self.shortestValidity)),
                at: reading
            )
        else { return .failure(error) }
        return .success(tokens)
    }

    /// Seconds for which a token has to be good for at least to be of any use.
    private static var shortestValidity: Double { 5 }
    /// Seconds between two looks at the store.
    private static var lookInterval: Double { 1 }
}

extension SignInError {
    /// Whether the store could not be used, though nothing in it is damaged.
    fileprivate var isOfUnusableStore: Bool { reason == .storage(.unavailable) }
}
