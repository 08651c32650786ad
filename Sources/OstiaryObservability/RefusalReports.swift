#if Hummingbird || Vapor
    import HTTPTypes
    package import Logging
    import Metrics
    package import OstiaryServer

    /// Logs and counts why requests are not served.
    package enum RefusalReports {
        /// One line and one count for a response that has a reason.
        ///
        /// `path` is the path as it is mounted, of which there are a few: it becomes a label.
        package static func note(_ response: ServerResponse, method: String, path: String, in logger: Logger) {
            guard let reason = response.reason else { return }
            Counter(label: "ostiary_refusals", dimensions: [("path", path), ("reason", reason.name)]).increment()
            logger.log(
                level: reason.level,
                "request refused",
                metadata: reason.metadata.merging([
                    "status": .stringConvertible(response.status.code), "method": .string(method),
                    "path": .string(path),
                ]) { $1 }
            )
        }
    }
#endif
