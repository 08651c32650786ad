#if Hummingbird
    import Hummingbird
    public import Logging
    import Metrics
    import OstiaryServer

    /// Reports in the log and the metrics why requests are refused.
    enum RefusalReports {
        /// Writes one line and counts one refusal for a response that has a reason.
        static func note(_ answer: ServerResponse, to request: Request, _ context: some RequestContext) {
            guard let reason = answer.reason else { return }
            let path = context.endpointPath ?? "-"
            note(reason.name, at: path)
            context.logger.log(
                level: reason.level,
                "request refused",
                metadata: reason.metadata.merging([
                    "status": .stringConvertible(answer.status.code), "method": .string(request.method.rawValue),
                    "path": .string(path),
                ]) { $1 }
            )
        }

        /// Counts one refusal, by the mounted path and the reason, both from small sets.
        static func note(_ reason: String, at path: String) {
            Counter(label: "ostiary_refusals", dimensions: [("path", path), ("reason", reason)]).increment()
        }
    }

    extension RefusalReason {
        /// `warning` for a cause that the operator can fix, and `info` for the rest.
        public var level: Logger.Level { concern == .operator ? .warning : .info }

        /// The reason, and its detail where there is one.
        public var metadata: Logger.Metadata {
            var metadata: Logger.Metadata = ["reason": .string(name)]
            metadata["detail"] = detail.map { .string($0) }
            return metadata
        }
    }
#endif
