#if Hummingbird || Vapor
    package import HTTPTypes
    package import Tracing

    /// The tracer of the spans, and the instrument that passes their context on: the process's, or a tracer of the caller.
    package struct SpanSource: Sendable {
        private let own: (any Tracer)?

        /// Takes a tracer; `nil` for the process's at each use, which may be set later.
        package init(_ tracer: (any Tracer)?) { own = tracer }

        private var tracer: any Tracer { own ?? InstrumentationSystem.tracer }
        private var instrument: any Instrument { own ?? InstrumentationSystem.instrument }

        /// Begins a span that the caller ends.
        func begin(
            _ name: String,
            _ kind: SpanKind,
            context: ServiceContext = .current ?? .topLevel
        ) -> any Span {
            tracer.startAnySpan(name, context: context, ofKind: kind)
        }

        /// Runs a body in a span, which ends with it.
        ///
        /// A span that is not recorded, such as one of a trace that its sender does not sample, leaves the context as
        /// it was: it is passed on.
        func span<Value: Sendable>(
            _ name: String,
            _ kind: SpanKind,
            context: ServiceContext = .current ?? .topLevel,
            _ body: (any Span) async -> Value
        ) async -> Value {
            let span = begin(name, kind, context: context)
            defer { span.end() }
            return await ServiceContext.$current.withValue(span.isRecording ? span.context : context) {
                await body(span)
            }
        }

        /// Serves a request in a span that continues the trace of its client.
        ///
        /// - Parameters:
        ///   - method: The request's method.
        ///   - fields: The request's fields.
        ///   - route: Returns the path as it is mounted, once the request is served; `nil` for a request without a route.
        ///   - status: Returns the status of a result.
        ///   - next: Serves the request.
        /// - Returns: The result of `next`.
        /// - Throws: The error of `next`.
        package func serve<Response: Sendable>(
            _ method: String,
            _ fields: HTTPFields,
            route: () -> String?,
            status: (Result<Response, any Error>) -> Int,
            by next: () async throws -> Response
        ) async throws -> Response {
            let result = await span("\(method) unknown", .server, context: extract(from: fields)) {
                span -> Result<Response, any Error> in
                span.attributes["http.request.method"] = method
                let result: Result<Response, any Error>
                do { result = .success(try await next()) } catch { result = .failure(error) }
                if let route = route() {
                    span.operationName = "\(method) \(route)"
                    span.attributes["http.route"] = route
                }
                let code = status(result)
                span.attributes["http.response.status_code"] = code
                if code >= 500 { span.fail("\(code)") }
                return result
            }
            return try result.get()
        }

        /// Writes the current context into a request's fields, such as `traceparent`.
        func inject(into fields: inout HTTPFields) {
            guard let context = ServiceContext.current else { return }
            instrument.inject(context, into: &fields, using: FieldInjector())
        }

        /// The context of a request's fields.
        private func extract(from fields: HTTPFields) -> ServiceContext {
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

    extension Tracing.Span {
        /// Gives the span the status of an error, with its type: a status code, or the name of a failure.
        func fail(_ type: String) {
            attributes["error.type"] = type
            setStatus(SpanStatus(code: .error))
        }
    }

    private struct FieldInjector: Injector {
        func inject(_ value: String, forKey key: String, into carrier: inout HTTPFields) {
            if let name = HTTPField.Name(key) { carrier[name] = value }
        }
    }

    private struct FieldExtractor: Extractor {
        func extract(key: String, from carrier: HTTPFields) -> String? {
            guard let name = HTTPField.Name(key) else { return nil }
            let values = carrier[values: name]
            // Repeated fields of a list are one list (W3C Trace Context section 3.3.1, RFC 9110 section 5.3).
            if key.lowercased() == "tracestate", !values.isEmpty { return values.joined(separator: ",") }
            // Any other repeated field is ambiguous and is ignored.
            return values.count == 1 ? values[0] : nil
        }
    }
#endif
