import OstiaryJOSE
import OstiaryProvider

/// The forms in which exchanges are exported.
enum InspectorExport: String, Sendable, CaseIterable {
    /// One JSON object a line.
    case jsonLines = "jsonl"
    /// HTTP Archive 1.2.
    case archive = "har"
    /// A sequence diagram in the language of Mermaid.
    case mermaid = "mmd"

    var mediaType: String {
        switch self {
        case .jsonLines: "application/jsonl"
        case .archive: "application/json"
        case .mermaid: "text/plain; charset=utf-8"
        }
    }

    /// Writes flows.
    func bytes(_ flows: [[RecordedExchange]], origin: String) -> [UInt8] {
        let newline = UInt8(ascii: "\n")
        let exchanges = flows.flatMap(\.self).sorted { $0.number < $1.number }
        return switch self {
        case .jsonLines: exchanges.flatMap { $0.object.encoded() + [newline] }
        case .archive: HTTPArchive(exchanges, origin: origin).object.encoded() + [newline]
        case .mermaid: Array(SequenceDiagram(flows).text.utf8)
        }
    }
}
