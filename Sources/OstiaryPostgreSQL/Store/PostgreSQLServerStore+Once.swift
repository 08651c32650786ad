#if PostgreSQL
    public import OstiaryOAuth
    public import OstiaryServer

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    // Actions that are allowed once: presenting an identifier, redeeming a code, and taking a value.
    extension PostgreSQLServerStore {
        /// Records an identifier, unless it is recorded already.
        public func insert(
            _ identifier: StoreDigest,
            owner: StoreDigest,
            until expiry: Date,
            now: Date
        ) async throws(StorageFailure) -> ReplayAnswer {
            try await run { [room] connection async throws(PostgreSQLFailure) in
                if room.isToBeCounted(owner) {
                    let count = try await connection.execute(
                        .countReplays,
                        [.bytes(owner.bytes), .time(now), .integer(room.limit)]
                    )
                    room.count(try count.first?.integer(0) ?? 0, of: owner)
                }
                // An identifier that was presented before is a replay, whether or not there is room.
                let values: [PostgreSQLValue] = [
                    .bytes(identifier.bytes), .bytes(owner.bytes), .time(expiry), .time(now),
                ]
                guard room.take(from: owner) else {
                    let found = try await connection.execute(.findReplay, [.bytes(identifier.bytes), .time(now)])
                    return found.count > 0 ? .replayed : .full
                }
                return try await connection.execute(.insertReplay, values).count == 1 ? .inserted : .replayed
            }
        }

        /// Whether an identifier is recorded at `now`.
        public func contains(_ identifier: StoreDigest, now: Date) async throws(StorageFailure) -> Bool {
            try await run { connection async throws(PostgreSQLFailure) in
                try await connection.execute(.findReplay, [.bytes(identifier.bytes), .time(now)]).count > 0
            }
        }

        /// Claims a code, unless it was claimed before.
        public func claim(
            _ code: StoreDigest,
            for request: StoreDigest,
            until expiry: Date,
            answeredBy deadline: Date,
            now: Date
        ) async throws(StorageFailure) -> RedemptionClaim {
            try await run { connection async throws(PostgreSQLFailure) in
                while true {
                    let claimed = try await connection.execute(
                        .claimCode,
                        [
                            .bytes(code.bytes), .bytes(request.bytes), .time(expiry), .time(now), .time(deadline),
                        ]
                    )
                    if claimed.count == 1 { return .claimed }
                    // The row is missing if it was removed in the meantime: then the code can be claimed.
                    guard let row = try await connection.execute(.readRedemption, [.bytes(code.bytes)]).first else {
                        continue
                    }
                    guard try row.bytes(0) == request.bytes else { return .used }
                    // Without an answer, it is the time by which one is expected.
                    let end = row.isNull(2) ? nil : try row.time(2)
                    let isOver = end.map { $0 <= now } ?? false
                    guard !row.isNull(1) else { return isOver ? .used : .underWay }
                    return isOver ? .used : .answered(try row.bytes(1))
                }
            }
        }

        /// Releases a code that was not redeemed.
        public func release(_ code: StoreDigest, for request: StoreDigest) async throws(StorageFailure) {
            try await run { connection async throws(PostgreSQLFailure) in
                _ = try await connection.execute(.giveCodeBack, [.bytes(code.bytes), .bytes(request.bytes)])
            }
        }

        /// Records the result of a claimed code.
        public func record(
            _ answer: [UInt8],
            of code: StoreDigest,
            for request: StoreDigest,
            until expiry: Date,
            now: Date
        ) async throws(StorageFailure) -> Bool {
            try await run { connection async throws(PostgreSQLFailure) in
                let values: [PostgreSQLValue] = [
                    .bytes(code.bytes), .bytes(request.bytes), .bytes(answer), .time(expiry), .time(now),
                ]
                return try await connection.execute(.recordAnswer, values).count == 1
            }
        }

        /// Stores a value under a new name.
        public func put(
            _ value: [UInt8],
            as name: StoreDigest,
            until expiry: Date,
            now: Date
        ) async throws(StorageFailure) -> Bool {
            try await run { connection async throws(PostgreSQLFailure) in
                let values: [PostgreSQLValue] = [.bytes(name.bytes), .bytes(value), .time(expiry), .time(now)]
                return try await connection.execute(.putValue, values).count == 1
            }
        }

        /// Removes a value and returns it; `nil` when it is missing or expired.
        public func take(_ name: StoreDigest, now: Date) async throws(StorageFailure) -> [UInt8]? {
            try await run { connection async throws(PostgreSQLFailure) in
                guard let row = try await connection.execute(.takeValue, [.bytes(name.bytes)]).first,
                    try row.time(1) > now
                else { return nil }
                return try row.bytes(0)
            }
        }
    }

    extension PostgreSQLStatement {
        fileprivate static let countReplays = PostgreSQLStatement(
            "count an owner's identifiers",
            """
            SELECT count(*) FROM (
                SELECT 1 FROM ostiary_replay WHERE owner = $1 AND expires > $2 LIMIT $3
            ) AS counted
            """
        )
        fileprivate static let insertReplay = PostgreSQLStatement(
            "remember an identifier",
            """
            INSERT INTO ostiary_replay AS old (identifier, owner, expires) VALUES ($1, $2, $3)
            ON CONFLICT (identifier) DO UPDATE SET owner = excluded.owner, expires = excluded.expires
            WHERE old.expires <= $4
            RETURNING 1
            """
        )
        fileprivate static let findReplay = PostgreSQLStatement(
            "look for an identifier",
            "SELECT 1 FROM ostiary_replay WHERE identifier = $1 AND expires > $2"
        )
        fileprivate static let claimCode = PostgreSQLStatement(
            "claim a code",
            """
            INSERT INTO ostiary_redemption AS old (code, request, expires, answer_expires) VALUES ($1, $2, $3, $5)
            ON CONFLICT (code) DO UPDATE
            SET request = excluded.request, expires = excluded.expires, answer = NULL,
                answer_expires = excluded.answer_expires
            WHERE old.expires <= $4
            RETURNING 1
            """
        )
        fileprivate static let giveCodeBack = PostgreSQLStatement(
            "give a code back",
            "DELETE FROM ostiary_redemption WHERE code = $1 AND request = $2 AND answer IS NULL"
        )
        fileprivate static let readRedemption = PostgreSQLStatement(
            "read a redemption",
            "SELECT request, answer, answer_expires FROM ostiary_redemption WHERE code = $1"
        )
        fileprivate static let recordAnswer = PostgreSQLStatement(
            "record what a code brought",
            """
            UPDATE ostiary_redemption SET answer = $3, answer_expires = $4
            WHERE code = $1 AND request = $2 AND answer IS NULL AND expires > $5
            RETURNING 1
            """
        )
        fileprivate static let putValue = PostgreSQLStatement(
            "keep a value",
            """
            INSERT INTO ostiary_value AS old (name, value, expires) VALUES ($1, $2, $3)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value, expires = excluded.expires
            WHERE old.expires <= $4
            RETURNING 1
            """
        )
        fileprivate static let takeValue = PostgreSQLStatement(
            "take a value",
            "DELETE FROM ostiary_value WHERE name = $1 RETURNING value, expires"
        )
    }
#endif
