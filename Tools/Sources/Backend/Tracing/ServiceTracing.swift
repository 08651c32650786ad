public import ServiceLifecycle
public import Tracing

/// A tracer for the spans of a service, and what exports them.
///
/// It is a parameter of the service's start, since not every program that uses this module links an exporter.
public struct ServiceTracing: Sendable {
    let tracer: any Tracer
    let export: any Service

    /// Wraps a tracer.
    ///
    /// - Parameters:
    ///   - tracer: The tracer of the service's spans, which also passes their context on.
    ///   - export: The export, which runs beside the service and ends after it. Its own end or failure is not the service's.
    public init(_ tracer: any Tracer, export: any Service) {
        self.tracer = tracer
        self.export = export
    }
}
