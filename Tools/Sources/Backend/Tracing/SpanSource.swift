import HTTPTypes
import Tracing

/// The tracer of the spans, and the instrument that passes their context on: those of the process, or a tracer of a test.
struct SpanSource: Sendable {
    private let own: (any Tracer)?

    init(_ tracer: (any Tracer)?) { own = tracer }

    private var tracer: any Tracer { own ?? InstrumentationSystem.tracer }
    private var instrument: any Instrument { own ?? InstrumentationSystem.instrument }

    /// Runs a body in a span, which ends with it.
    ///
    /// A span that is not recorded, such as one of a trace that its sender does not sample, leaves the context as it was: it is
    /// passed on.
    func span<Value: Sendable>(
        _ name: String,
        _ kind: SpanKind,
        context: ServiceContext = .current ?? .topLevel,
        _ body: (any Span) async -> Value
    ) async -> Value {
        let span: any Span = tracer.startAnySpan(name, context: context, ofKind: kind)
        defer { span.end() }
        return await ServiceContext.$current.withValue(span.isRecording ? span.context : context) { await body(span) }
    }

    /// Begins a span around a call of the store, with its operation; the function that is returned ends it with the
    /// outcome.
    @Sendable
    func storeCall(_ operation: String) -> @Sendable (_ outcome: String) -> Void {
        let span: any Span = tracer.startAnySpan(
            "store \(operation)",
            context: .current ?? .topLevel,
            ofKind: .client
        )
        return { outcome in
            if outcome != "ok" {
                span.attributes["error.type"] = outcome
                span.setStatus(SpanStatus(code: .error))
            }
            span.end()
        }
    }

    /// Writes the current context into a request's fields, such as `traceparent`.
    func inject(into fields: inout HTTPFields) {
        guard let context = ServiceContext.current else { return }
        instrument.inject(context, into: &fields, using: FieldInjector())
    }

    /// The context of a request's fields.
    func extract(from fields: HTTPFields) -> ServiceContext {
        var context = ServiceContext.current ?? .topLevel
        // A tracer may log what it cannot read: it gets well-formed fields of a trace alone, and no credential.
        let carrier = fields.filter { TraceContextPropagation.names.contains($0.name.canonicalName) }
        guard let parent = carrier.first(where: { $0.name.canonicalName == "traceparent" }),
            TraceContextPropagation.isParent(parent.value)
        else { return context }
        instrument.extract(carrier, into: &context, using: FieldExtractor())
        return context
    }
}

private struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout HTTPFields) {
        if let name = HTTPField.Name(key) { carrier[name] = value }
    }
}

private struct FieldExtractor: Extractor {
    func extract(key: String, from carrier: HTTPFields) -> String? {
        // A repeated field is ambiguous and is ignored.
        guard let name = HTTPField.Name(key), carrier[values: name].count == 1 else { return nil }
        return carrier[name]
    }
}
