#if Valkey
    /// The calls that read and write in one step, as scripts: the server runs one script at a time.
    ///
    /// Times are microseconds since 1970 by the caller's clock, below 2^53, so that Lua's numbers hold them exactly. The server's
    /// own clock only removes entries, two minutes late: an instance whose clock is behind still finds them.
    enum ValkeyScript {
        /// Keys: the identifier, and its owner.
        ///
        /// Arguments: expiry, now, the owner's room, the milliseconds to keep.
        ///
        /// The result is 0 for inserted, 1 for replayed, 2 for full. The owner's entry is a sorted set of its identifiers by
        /// expiry, which counts them exactly. A server whose memory is full refuses a script at its first write, and only if
        /// that one needs memory: so that is `SET`.
        static let insertReplay = """
            local known = redis.call('GET', KEYS[1])
            if known and tonumber(known) > tonumber(ARGV[2]) then return 1 end
            if redis.call('ZCOUNT', KEYS[2], '(' .. ARGV[2], '+inf') >= tonumber(ARGV[3]) then return 2 end
            redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[4])
            redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[2])
            redis.call('ZADD', KEYS[2], ARGV[1], KEYS[1])
            if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[4]) then redis.call('PEXPIRE', KEYS[2], ARGV[4]) end
            return 0
            """

        /// Key: the sender.
        ///
        /// Arguments: now, the interval of a request, the period, the milliseconds to keep beyond it.
        ///
        /// It computes `RateLimit.answer(full:now:)`. The result is 0 for an allowed request, and the microseconds to wait
        /// otherwise.
        static let countRequest = """
            local now, interval, period = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
            local full = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now) + interval
            if full - now > period then return full - now - period end
            local kept = math.ceil((full - now) / 1000) + tonumber(ARGV[4])
            redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', string.format('%.0f', kept))
            return 0
            """
    }
#endif
