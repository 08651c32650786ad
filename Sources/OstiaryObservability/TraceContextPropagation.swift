#if Hummingbird || Vapor
    public import Tracing

    /// Passes a request's trace context on to the servers that are contacted for it, unchanged. (W3C Trace Context, section 3)
    ///
    /// It is for a process without a tracer: it records no spans, and the spans of the others stay connected.
    ///
    ///     InstrumentationSystem.bootstrap(TraceContextPropagation())
    public struct TraceContextPropagation: Instrument {
        private enum Key: ServiceContextKey {
            typealias Value = [String: String]
            static let nameOverride: String? = "trace context"
        }

        /// The fields of a trace context.
        static let names = ["traceparent", "tracestate"]
        private static let maximumBytes = 512

        /// Makes the instrument.
        public init() {}

        /// Reads `traceparent` and `tracestate`; a malformed `traceparent` leaves the context as it was.
        public func extract<Carrier, Extract: Extractor>(
            _ carrier: Carrier,
            into context: inout ServiceContext,
            using extractor: Extract
        ) where Extract.Carrier == Carrier {
            var found: [String: String] = [:]
            for name in Self.names {
                if let value = extractor.extract(key: name, from: carrier), value.utf8.count <= Self.maximumBytes {
                    found[name] = value
                }
            }
            guard let parent = found["traceparent"], Self.isParent(parent) else { return }
            context[Key.self] = found
        }

        /// Writes the fields that were read.
        public func inject<Carrier, Inject: Injector>(
            _ context: ServiceContext,
            into carrier: inout Carrier,
            using injector: Inject
        ) where Inject.Carrier == Carrier {
            for (name, value) in context[Key.self] ?? [:] { injector.inject(value, forKey: name, into: &carrier) }
        }

        /// Whether a text has the form of version 00, or begins like one of a later version.
        static func isParent(_ text: String) -> Bool {
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count >= 4, parts.prefix(4).map(\.utf8.count) == [2, 32, 16, 2], parts[0] != "ff",
                parts[0] != "00" || parts.count == 4,
                parts.prefix(4).allSatisfy({ $0.utf8.allSatisfy(isDigit) }),
                parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" })
            else { return false }
            return true
        }

        private static func isDigit(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
    }
#endif
