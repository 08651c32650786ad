public import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The claims about a session's user, and how old they are.
extension ServerSessions {
    /// The claims about a session's user: those of the newest UserInfo response and of the newest ID token.
    ///
    /// For two of the same name the ID token's is used, unless the UserInfo response was read after that token was
    /// issued.
    ///
    /// Whether an e-mail address or a telephone number is verified is taken from the document with that address or
    /// number, or from the other one about the same.
    ///
    /// - Throws: `corrupted` when the session cannot be opened.
    public func claims(of session: ServerSession) throws(StorageFailure) -> JSONObject {
        let stored = try userInfo(of: session.record)
        let (idToken, response) = (try open(session.record).identity?.claims ?? [:], stored?.claims ?? [:])
        let issued = idToken["iat"]?.number ?? 0
        let isNewer = stored?.read.map { $0.timeIntervalSince1970 > issued } ?? false
        let (first, second) = isNewer ? (response, idToken) : (idToken, response)
        var claims = second
        for member in first.members { claims[member.name] = member.value }
        for (name, verified) in [("email", "email_verified"), ("phone_number", "phone_number_verified")] {
            guard let value = claims[name]?.string else { continue }
            let sources = [first, second].filter { $0[name]?.string?.utf8.elementsEqual(value.utf8) ?? false }
            claims[verified] = sources.lazy.compactMap { $0[verified] }.first
        }
        return claims
    }

    /// The time after which a failed UserInfo request is repeated, in seconds.
    private static let userInfoPause: Double = 30

    /// Revalidates a session at the issuer, as far as its tokens allow, with claims that are not too old.
    ///
    /// An access token that is about to expire is refreshed, which brings a new ID token from most issuers and shows
    /// whether the issuer has ended the session. UserInfo claims older than the age are read again. While the issuer
    /// cannot be reached the session stays as it is, with its claims.
    ///
    /// - Parameters:
    ///   - session: The session as it was read.
    ///   - age: The largest age of UserInfo claims, in seconds; `nil` reads none.
    /// - Returns: The session as it is now.
    /// - Throws: `signInRequired`, or the issuer's error, when the session has ended; `storage`.
    func revalidated(_ session: ServerSession, userInfoAge age: Double?) async throws(SignInError) -> ServerSession {
        let tokens = try stored { () throws(StorageFailure) in try open(session.record) }
        let now = clock.now()
        let isOld = try isOld(session.record, age, at: now)
        guard isDue(tokens, of: session.record, insteadOf: nil, at: now) || isOld else { return session }
        do throws(SignInError) {
            _ = try await accessToken(of: session)
            guard isOld else { return ServerSession(record: try await current(session.record.id)) }
            return ServerSession(record: try await withNewUserInfo(session.record.id, age))
        } catch {
            guard error.isOfIssuer else { throw error }
            return session
        }
    }

    private func isOld(_ record: ServerSessionRecord, _ age: Double?, at now: Date) throws(SignInError) -> Bool {
        guard let age, userInfoFailures.value(record.id, at: now) == nil else { return false }
        let stored = try stored { () throws(StorageFailure) in try userInfo(of: record) }
        guard let stored else { return true }
        return now.timeIntervalSince(stored.read ?? record.created) >= age
    }

    /// Reads UserInfo for a session that has just begun; where that or the store fails, it is read later.
    func addUserInfo(to handle: Secret) async {
        _ = try? await withNewUserInfo(id(of: handle.reveal()), 0, isFirst: true)
    }

    /// Reads UserInfo and stores it; meanwhile other requests use the stored claims.
    private func withNewUserInfo(
        _ id: StoreDigest,
        _ age: Double?,
        isFirst: Bool = false
    ) async throws(SignInError) -> ServerSessionRecord {
        let record = try await current(id)
        guard try isOld(record, age, at: clock.now()) else { return record }
        // A caller that is cancelled leaves no lease behind.
        let result = await flights.finish { () async -> Result<ServerSessionRecord, SignInError> in
            do throws(SignInError) {
                return .success(try await self.readUserInfo(of: record, isFirst: isFirst))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func readUserInfo(
        of record: ServerSessionRecord,
        isFirst: Bool
    ) async throws(SignInError) -> ServerSessionRecord {
        // No instance may refresh the session meanwhile: the claims stored below must not undo a refresh.
        let time = LeaseTime(clock)
        let now = clock.now()
        let answer = try await asked { () async throws(StorageFailure) in
            try await store.lease(
                record.id,
                version: record.version,
                owner: Self.newOwner(),
                until: now.addingTimeInterval(LeaseTime.lifetime),
                now: now
            )
        }
        guard case .granted(let lease) = answer else { return record }
        let new: ServerSessionRecord?
        do throws(SignInError) {
            new = try await storingUserInfo(of: record, isFirst: isFirst, within: time)
        } catch {
            await release(lease)
            throw error
        }
        if let new { return new }
        await release(lease)
        return try await current(record.id)
    }

    /// Reads UserInfo and stores it, under a lease.
    ///
    /// - Returns: The session as it is stored; `nil` where there are no new claims, or the session was changed.
    private func storingUserInfo(
        of record: ServerSessionRecord,
        isFirst: Bool,
        within time: LeaseTime
    ) async throws(SignInError) -> ServerSessionRecord? {
        let tokens = try stored { () throws(StorageFailure) in try open(record) }
        let claims = await time.result { await CodeExchange(sessions: self).userInfo(tokens) } ?? nil
        // Later another instance may have presented the refresh token, whose replacement must not be overwritten.
        guard let claims, !time.isOver else {
            let now = clock.now()
            userInfoFailures.keep(
                now,
                for: record.id,
                bytes: MemoryLayout<Date>.size,
                until: now.addingTimeInterval(Self.userInfoPause)
            )
            return nil
        }
        var next = record
        next.version += 1
        next.sealed = try stored { () throws(StorageFailure) in
            try seal(
                tokens,
                userInfo: UserInfo(claims: claims, read: isFirst ? nil : clock.now()),
                received: received(of: record),
                for: record
            )
        }
        let isKept = try await asked { () async throws(StorageFailure) in
            try await store.replace(with: next, now: clock.now())
        }
        return isKept ? next : nil
    }
}
