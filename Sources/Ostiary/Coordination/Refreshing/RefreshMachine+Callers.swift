import OstiaryOAuth

/// The callers, and the answers to them.
extension RefreshMachine {
    /// Answers from the stored session, or makes the caller wait for a refresh.
    mutating func ask(_ question: Question, _ moment: Moment) {
        guard end == nil else {
            actions.append(.answer(question.id, .failure(.sessionOver)))
            return
        }
        if let tokens = tokens(for: question.target, meeting: question.need, at: moment.reading) {
            actions.append(.answer(question.id, .success(tokens)))
            return
        }
        if let refusal = refusal(of: question, moment) {
            guard mayLook(at: moment.uptime) else {
                actions.append(.answer(question.id, result(of: refusal, for: question)))
                return
            }
            waiting.append(question)
            if flight == nil { look(moment) }
            return
        }
        waiting.append(question)
        if flight == nil { takeOff() } else { storeSooner() }
    }

    /// Removes a caller; the refresh continues for the others.
    mutating func dismiss(_ id: Int) {
        guard let place = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting.remove(at: place)
        actions.append(.answer(id, .failure(SignInError(.refresh, .cancelled))))
    }

    /// Takes over a session that was read from the store, if it is newer.
    mutating func notice(_ found: Record, _ moment: Moment) {
        guard end == nil, found.id == record.id, found.revision > record.revision, !holdsSuccessor(of: found) else {
            return
        }
        takeOver(found)
        answerMet(moment)
    }

    /// Takes over a session that another process has stored.
    mutating func takeOver(_ found: Record) {
        if found.tokens != record.tokens { actions.append(.recovered) }
        adopt(found)
    }

    /// Answers every caller whose need is met.
    ///
    /// - Returns: Whether there was such a caller.
    @discardableResult
    mutating func answerMet(_ moment: Moment) -> Bool {
        let questions = waiting
        waiting = []
        for question in questions {
            if let tokens = tokens(for: question.target, meeting: question.need, at: moment.reading) {
                actions.append(.answer(question.id, .success(tokens)))
            } else {
                waiting.append(question)
            }
        }
        return waiting.count < questions.count
    }

    /// Answers the callers that wait for a target, or all callers.
    mutating func answer(_ result: Result<Tokens, SignInError>, for target: Tokens.Target? = nil) {
        let answered = waiting.filter { target == nil || $0.target == target }
        waiting.removeAll { target == nil || $0.target == target }
        for question in answered {
            guard case .failure(let error) = result else {
                actions.append(.answer(question.id, result))
                continue
            }
            let result = self.result(of: error, for: question)
            if case .success = result { actions.append(.failed(error)) }
            actions.append(.answer(question.id, result))
        }
    }
}
