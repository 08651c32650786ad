import ArgumentParser

/// `ostiary sessions`: the stored sessions.
struct Sessions: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List, remove, export and import profiles.",
        subcommands: [ListSessions.self, RemoveSession.self, ExportSessions.self, ImportSessions.self]
    )
}
