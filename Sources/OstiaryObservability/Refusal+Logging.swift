#if Hummingbird || Vapor
    import HTTPTypes
    public import Logging
    public import OstiaryServer

    extension RefusalReason {
        /// `warning` for what the operator of the backend can mend, and `info` for the rest.
        public var level: Logger.Level { concern == .operator ? .warning : .info }

        /// The reason, and its detail where there is one.
        public var metadata: Logger.Metadata {
            var metadata: Logger.Metadata = ["reason": .string(name)]
            metadata["detail"] = detail.map { .string($0) }
            return metadata
        }
    }

    extension Authorization.Refusal {
        /// `warning` while keys, an issuer's answer or the store cannot be had, and for a token of another form; else
        /// `info`.
        public var level: Logger.Level {
            if case .token(let refusal) = reason, refusal.form != nil { return .warning }
            return status == .serviceUnavailable ? .warning : .info
        }

        /// The reason, for a log; of a token in another form also its `typ`, the expected one, and the profile that it
        /// fits.
        public var metadata: Logger.Metadata {
            var metadata: Logger.Metadata = ["reason": .string(reason.name)]
            switch reason {
            case .keysUnavailable(let error), .introspectionUnavailable(let error):
                metadata["detail"] = .string(RefusalReason(error).detail ?? error.message)
            case .proof(let refusal): metadata["detail"] = .string(refusal.description)
            default: break
            }
            guard case .token(let refusal) = reason, let form = refusal.form else { return metadata }
            metadata["typ"] = .string(form.found ?? "none")
            metadata["expected"] = .string(form.expected.map { $0 ?? "none" }.joined(separator: " or "))
            metadata["profile"] = .string(form.profile)
            metadata["fits"] = .string(form.fitting ?? "none")
            return metadata
        }
    }
#endif
