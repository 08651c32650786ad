public import Backend
public import Foundation
public import Logging
import OTel

extension ServiceTracing {
    private static let endpoints = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"]
    private static let protocols = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"]

    /// Describes the export of spans by OTLP over HTTP; nothing connects yet. (OpenTelemetry Protocol 1.5)
    ///
    /// - Parameters:
    ///   - configuration: The service's configuration, of which `otlp_endpoint` names the collector.
    ///   - environment: The standard variables (`OTEL_…`), which go before the configuration. Default: the process's. swift-otel
    ///     reads all but the endpoint's from the process.
    ///   - logger: The log of failed exports.
    /// - Returns: `nil` where neither names a collector, and with `OTEL_SDK_DISABLED=true`.
    /// - Throws: ``BackendConfigurationError``, which names the member or the variable.
    public static func otlp(
        _ configuration: BackendConfiguration,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        logger: Logger
    ) throws -> ServiceTracing? {
        let named = endpoints.filter { !(environment[$0] ?? "").isEmpty }
        guard environment["OTEL_SDK_DISABLED"]?.lowercased() != "true",
            configuration.otlpEndpoint != nil || !named.isEmpty
        else { return nil }
        for name in named {
            try BackendConfiguration.requireHTTP(environment[name] ?? "", of: name)
        }
        for name in protocols where environment[name] == "grpc" {
            throw BackendConfigurationError(
                name,
                "Spans are exported over HTTP: unset it, and name the collector's port for HTTP, such as 4318."
            )
        }
        var otel = OTel.Configuration.default
        otel.serviceName = "ostiary-backend"
        otel.diagnosticLogger = .custom(logger)
        otel.diagnosticLogLevel = .warning
        otel.propagators = [.traceContext]
        otel.logs.enabled = false
        otel.metrics.enabled = false
        if let endpoint = configuration.otlpEndpoint {
            otel.traces.otlpExporter.endpoint = endpoint + (endpoint.hasSuffix("/") ? "" : "/") + "v1/traces"
        }
        let backend = try OTel.makeTracingBackend(configuration: otel)
        return ServiceTracing(backend.factory, export: backend.service)
    }
}
