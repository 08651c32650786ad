import OstiaryServer

/// The promises about single use: redemptions and values to take.
extension ServerStoreCheck {
    func checkRedemptions() async throws {
        try await checkClaims()
        try await checkAnswers()
        try await checkDeadlines()
        try await checkReturns()
    }

    private func claim(_ code: String, _ request: String, _ now: Double, _ promise: String) async throws
        -> RedemptionClaim
    {
        try await asked(promise) {
            try await store.claim(
                digest(code),
                for: digest(request),
                until: at(600),
                answeredBy: at(60),
                now: at(now)
            )
        }
    }

    private func record(
        _ answer: [UInt8],
        _ code: String,
        _ request: String,
        until expiry: Double,
        _ now: Double,
        _ promise: String
    ) async throws -> Bool {
        try await asked(promise) {
            try await store.record(answer, of: digest(code), for: digest(request), until: at(expiry), now: at(now))
        }
    }

    private func checkClaims() async throws {
        let promise = "A code is claimed once, and another request with it learns only that it was used."
        try expect(try await claim("code", "request", 0, promise), .claimed, promise)
        try expect(try await claim("code", "request", 1, promise), .underWay, promise)
        try expect(try await claim("code", "another", 1, promise), .used, promise)
        try expect(try await claim("other code", "request", 1, promise), .claimed, promise)
        try expect(try await claim("code", "another", 599.999, promise), .used, promise)
    }

    private func checkDeadlines() async throws {
        let promise =
            "A claim without an answer is under way until its deadline; then the code is used, and a late answer kept."
        try expect(try await claim("slow", "request", 0, promise), .claimed, promise)
        try expect(try await claim("slow", "request", 59.999, promise), .underWay, promise)
        try expect(try await claim("slow", "request", 60, promise), .used, promise)
        try expect(try await claim("slow", "request", 599.999, promise), .used, promise)
        try expect(try await record([1], "slow", "request", until: 120, 61, promise), true, promise)
        try expect(try await claim("slow", "request", 62, promise), .answered([1]), promise)
    }

    private func checkReturns() async throws {
        let promise = "A code that its claimant gives back can be claimed again; one with an answer cannot."
        func release(_ code: String, _ request: String) async throws {
            try await asked(promise) { try await store.release(digest(code), for: digest(request)) }
        }
        try await release("returned", "request")
        try expect(try await claim("returned", "request", 0, promise), .claimed, promise)
        try await release("returned", "another")
        try expect(try await claim("returned", "request", 1, promise), .underWay, promise)
        try await release("returned", "request")
        try expect(try await record([1], "returned", "request", until: 60, 1, promise), false, promise)
        try expect(try await claim("returned", "another", 2, promise), .claimed, promise)
        try await release("returned", "request")
        try expect(try await claim("returned", "another", 3, promise), .underWay, promise)
        try expect(try await record([1], "returned", "another", until: 60, 4, promise), true, promise)
        try await release("returned", "another")
        try expect(try await claim("returned", "another", 5, promise), .answered([1]), promise)
    }

    private func checkAnswers() async throws {
        let promise =
            "The answer of a code is kept once, given to the same request for its time, and then the code is used."
        let answer = Array(UInt8.min...UInt8.max)
        try expect(try await record(answer, "nobody's", "request", until: 60, 1, promise), false, promise)
        try expect(try await record(answer, "code", "another", until: 60, 1, promise), false, promise)
        try expect(try await record(answer, "code", "request", until: 60, 1, promise), true, promise)
        try expect(try await record([1], "code", "request", until: 90, 2, promise), false, promise)
        try expect(try await claim("code", "request", 2, promise), .answered(answer), promise)
        try expect(try await claim("code", "request", 59.999, promise), .answered(answer), promise)
        try expect(try await claim("code", "another", 2, promise), .used, promise)
        try expect(try await claim("code", "request", 60, promise), .used, promise)
        try expect(try await claim("empty", "request", 0, promise), .claimed, promise)
        try expect(try await record([], "empty", "request", until: 60, 1, promise), true, promise)
        try expect(try await claim("empty", "request", 2, promise), .answered([]), promise)
    }

    func checkOneTimeValues() async throws {
        let promise = "A value is taken once, before it has expired."
        let value = [UInt8](repeating: 7, count: 65_536)
        func put(_ name: String, _ value: [UInt8], _ now: Double = 0) async throws -> Bool {
            try await asked(promise) { try await store.put(value, as: digest(name), until: at(now + 60), now: at(now)) }
        }
        func take(_ name: String, _ now: Double) async throws -> [UInt8]? {
            try await asked(promise) { try await store.take(digest(name), now: at(now)) }
        }
        try expect(try await take("absent", 0), nil, promise)
        try expect(try await put("value", value), true, promise)
        try expect(try await put("value", [1]), false, promise)
        try expect(try await take("value", 59.999)?.count, value.count, promise)
        try expect(try await take("value", 59.999), nil, promise)
        try expect(try await put("late", [1]), true, promise)
        try expect(try await take("late", 60), nil, promise)
        try expect(try await put("again", [1]), true, promise)
        try expect(try await put("again", [2], 60), true, promise)
        try expect(try await take("again", 61), [2], promise)
    }
}
