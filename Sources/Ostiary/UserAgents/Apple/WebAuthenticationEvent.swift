#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import Foundation

    extension WebAuthenticationUserAgent {
        /// An event in the life of a sheet of ``WebAuthenticationUserAgent``.
        ///
        /// It holds no URL, so it may be logged.
        public enum Event: Sendable, Hashable {
            /// Identifies one of a process's sheets.
            public struct AttemptID: Sendable, Hashable, CustomStringConvertible {
                /// A new value for each sheet.
                public let value = UUID()
                /// The form for logs.
                public var description: String { value.uuidString }

                init() {}
            }

            /// The system has started the sheet.
            case opened(AttemptID)
            /// The attempt is over and its sheet is closed.
            case closed(AttemptID)
            /// The system reported again after the first report, or after a cancellation; this report was dropped.
            case droppedReport(AttemptID)
        }
    }
#endif
