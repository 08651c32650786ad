#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import Foundation

    /// Something that happened to a sheet of ``WebAuthenticationUserAgent``.
    ///
    /// It holds no URL, so it may be logged.
    public enum WebAuthenticationEvent: Sendable, Hashable {
        /// Tells the sheets of one process apart.
        public struct AttemptID: Sendable, Hashable, CustomStringConvertible {
            /// A new one for each sheet.
            public let value = UUID()
            /// As it is logged.
            public var description: String { value.uuidString }

            init() {}
        }

        /// The system has started.
        case opened(AttemptID)
        /// The attempt is over and its sheet is down.
        case closed(AttemptID)
        /// The system reported again after the first report, or after the task was cancelled; nobody saw what it said.
        case droppedReport(AttemptID)
    }
#endif
