#if Valkey
    /// The reason that the server did not carry out a call.
    ///
    /// It names calls by their purpose, and contains neither an argument of a call nor the server's words about one.
    public enum ValkeyFailure: Error, Sendable, Hashable {
        /// No connection could be opened; the reason is for the operator of the service.
        case unreachable(String)
        /// The server rejected this program with an error's first word, such as `WRONGPASS` or `NOAUTH`.
        case rejected(String)
        /// The connection broke during a call, which may or may not have been carried out.
        case connectionLost(during: String)
        /// A call exceeded its time limit, and may or may not have been carried out.
        case timedOut(String)
        /// The server refused a call with an error's first word, such as `READONLY`, `NOPERM` or `OOM`.
        case refused(String, error: String)
        /// The response is not one that the call can have.
        case unexpectedAnswer(to: String)
        /// The server removes entries when its memory is full, by this policy: a removed proof could be presented again.
        case evicts(policy: String)
        /// The server is part of a cluster, which splits the keys of one call.
        case isCluster
        /// The store was closed.
        case closed
    }

    extension ValkeyFailure {
        /// The failure as one of a few words, for metrics.
        public var name: String {
            switch self {
            case .unreachable: "unreachable"
            case .rejected(let error): "rejected_\(error)"
            case .connectionLost: "connection_lost"
            case .timedOut: "timed_out"
            case .refused(_, let error): "refused_\(error)"
            case .unexpectedAnswer: "unexpected_answer"
            case .evicts: "evicts"
            case .isCluster: "cluster"
            case .closed: "closed"
            }
        }
    }

    extension ValkeyFailure: CustomStringConvertible {
        /// The failure as a sentence, for a log.
        public var description: String {
            switch self {
            case .unreachable(let reason): "Valkey cannot be reached: \(reason)"
            case .rejected(let error):
                "Valkey turned this program away with \(error). Compare user and password with the server's."
            case .connectionLost(let call): "The connection to Valkey broke during: \(call)."
            case .timedOut(let call): "Valkey took too long for: \(call)."
            case .refused(let call, let error): "Valkey refused with \(error): \(call)."
            case .unexpectedAnswer(let call): "Valkey answered unexpectedly to: \(call)."
            case .evicts(let policy):
                "Valkey has maxmemory-policy \(policy), which removes proofs that could then be replayed. Run: valkey-cli config set maxmemory-policy noeviction"
            case .isCluster:
                "This Valkey server is part of a cluster; name one that runs with cluster-enabled no."
            case .closed: "The store is closed."
            }
        }
    }
#endif
