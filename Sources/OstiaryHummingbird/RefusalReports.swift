#if Hummingbird
    import Hummingbird
    public import Logging
    import Metrics
    import OstiaryServer

    /// Says in the log and in the figures why requests are not served.
    enum RefusalReports {
        /// One line and one count for an answer that has a reason.
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

        /// One count, by the path as it is mounted and by the reason, of which there are a few each.
        static func note(_ reason: String, at path: String) {
            Counter(label: "ostiary_refusals", dimensions: [("path", path), ("reason", reason)]).increment()
        }
    }

    extension RefusalReason {
        /// `warning` for what whoever runs the backend can mend, and `info` for the rest.
        public var level: Logger.Level { concern == .operator ? .warning : .info }

        /// The reason, and its detail where there is one.
        public var metadata: Logger.Metadata {
            var metadata: Logger.Metadata = ["reason": .string(name)]
            metadata["detail"] = detail.map { .string($0) }
            return metadata
        }
    }
#endif
