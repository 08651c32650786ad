#if SQLite
    import GRDB
    public import OstiaryOAuth
    public import OstiaryServer

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    // Actions that are allowed once: presenting an identifier, redeeming a code, and taking a value.
    extension SQLiteServerStore {
        /// Records an identifier, unless it is recorded already.
        public func insert(
            _ identifier: StoreDigest,
            owner: StoreDigest,
            until expiry: Date,
            now: Date
        ) async throws(StorageFailure) -> ReplayAnswer {
            try await write("remember an identifier") { [room] database in
                let now = now.microseconds
                let isKnown = try Bool.fetchOne(
                    database,
                    sql: "SELECT EXISTS (SELECT 1 FROM replay WHERE identifier = ? AND expires > ?)",
                    arguments: [identifier.data, now]
                )
                guard isKnown != true else { return .replayed }
                if room.isToBeCounted(owner) {
                    let count = try Int.fetchOne(
                        database,
                        sql: "SELECT count(*) FROM replay WHERE owner = ? AND expires > ?",
                        arguments: [owner.data, now]
                    )
                    room.count(count ?? 0, of: owner)
                }
                guard room.take(from: owner) else { return .full }
                try database.execute(
                    sql: "INSERT OR REPLACE INTO replay (identifier, owner, expires) VALUES (?, ?, ?)",
                    arguments: [identifier.data, owner.data, expiry.microseconds]
                )
                return .inserted
            }
        }

        /// Whether an identifier is recorded at `now`.
        public func contains(_ identifier: StoreDigest, now: Date) async throws(StorageFailure) -> Bool {
            try await read("look for an identifier") { database in
                try Bool.fetchOne(
                    database,
                    sql: "SELECT EXISTS (SELECT 1 FROM replay WHERE identifier = ? AND expires > ?)",
                    arguments: [identifier.data, now.microseconds]
                ) ?? false
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
            try await write("claim a code") { database in
                let found = try Row.fetchOne(
                    database,
                    sql: "SELECT request, answer, answer_expires FROM redemption WHERE code = ? AND expires > ?",
                    arguments: [code.data, now.microseconds]
                )
                guard let found else {
                    try database.execute(
                        sql: """
                            INSERT OR REPLACE INTO redemption (code, request, expires, answer_expires)
                            VALUES (?, ?, ?, ?)
                            """,
                        arguments: [code.data, request.data, expiry.microseconds, deadline.microseconds]
                    )
                    return .claimed
                }
                guard found["request"] == request.data else { return .used }
                // Without an answer, it is the time by which one is expected.
                let end: Int64? = found["answer_expires"]
                let isOver = end.map { $0 <= now.microseconds } ?? false
                guard let answer: Data = found["answer"] else { return isOver ? .used : .underWay }
                return isOver ? .used : .answered(Array(answer))
            }
        }

        /// Releases a code that was not redeemed.
        public func release(_ code: StoreDigest, for request: StoreDigest) async throws(StorageFailure) {
            try await write("give a code back") { database in
                try database.execute(
                    sql: "DELETE FROM redemption WHERE code = ? AND request = ? AND answer IS NULL",
                    arguments: [code.data, request.data]
                )
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
            try await write("record what a code brought") { database in
                try database.execute(
                    sql: """
                        UPDATE redemption SET answer = ?, answer_expires = ?
                        WHERE code = ? AND request = ? AND answer IS NULL AND expires > ?
                        """,
                    arguments: [
                        Data(answer), expiry.microseconds, code.data, request.data, now.microseconds,
                    ]
                )
                return database.changesCount == 1
            }
        }

        /// Stores a value under a new name.
        public func put(
            _ value: [UInt8],
            as name: StoreDigest,
            until expiry: Date,
            now: Date
        ) async throws(StorageFailure) -> Bool {
            try await write("keep a value") { database in
                try database.execute(
                    sql: """
                        INSERT INTO value AS old (name, value, expires) VALUES (?, ?, ?)
                        ON CONFLICT (name) DO UPDATE SET value = excluded.value, expires = excluded.expires
                        WHERE old.expires <= ?
                        """,
                    arguments: [name.data, Data(value), expiry.microseconds, now.microseconds]
                )
                return database.changesCount == 1
            }
        }

        /// Removes a value and returns it; `nil` when it is missing or expired.
        public func take(_ name: StoreDigest, now: Date) async throws(StorageFailure) -> [UInt8]? {
            try await write("take a value") { database in
                let found = try Row.fetchOne(
                    database,
                    sql: "SELECT value, expires FROM value WHERE name = ?",
                    arguments: [name.data]
                )
                guard let found else { return nil }
                try database.execute(sql: "DELETE FROM value WHERE name = ?", arguments: [name.data])
                let value: Data = found["value"]
                return found["expires"] > now.microseconds ? Array(value) : nil
            }
        }
    }

    extension StoreDigest {
        var data: Data { Data(bytes) }
    }
#endif
