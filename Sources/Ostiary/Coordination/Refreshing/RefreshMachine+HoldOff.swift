import OstiaryOAuth

/// The answers to callers during a back-off, or after a failure of the server.
extension RefreshMachine {
    /// Returns the error for a caller when no request may be sent now; `nil` when one may.
    func refusal(of question: Question, _ moment: Moment) -> SignInError? {
        guard case .lasting = question.need, isSaved else { return nil }
        return holdOff.refusal(at: moment.uptime)
    }

    /// Whether the store may be read for a caller during a back-off.
    ///
    /// Another process may have refreshed the tokens meanwhile. Callers that come many times a second share one read.
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

    /// Takes over a session that another process has stored, and rejects the callers whose need it does not meet.
    ///
    /// - Parameter found: The result of reading; a failure changes nothing.
    mutating func afterLooking(_ found: Result<Record?, SignInError>, _ moment: Moment) {
        if case .success(let found) = found {
            if endsIfGone(found) { return }
            if let found { notice(found, moment) }
        }
        refuse(moment)
        land()
    }

    /// Rejects every caller for whom no request may be sent now.
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

    /// Returns the result for a caller whose refresh failed: the error, or the token that was to be refreshed early and
    /// is still valid.
    ///
    /// A caller that required a validity gets the error, and so does every caller when the failure is permanent. A
    /// store that cannot be written counts as temporary: the session in it is safe.
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

    /// The shortest useful remaining validity of a token, in seconds.
    private static var shortestValidity: Double { 5 }
    /// Seconds between two looks at the store.
    private static var lookInterval: Double { 1 }
}

extension SignInError {
    /// Whether the store could not be used, though nothing in it is damaged.
    fileprivate var isOfUnusableStore: Bool { reason == .storage(.unavailable) }
}
