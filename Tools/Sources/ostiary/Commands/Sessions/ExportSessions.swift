import ArgumentParser
import Foundation
import Ostiary
import OstiaryMigration
import OstiaryOAuth

/// `ostiary sessions export`: a profile in a file, sealed under a passphrase.
struct ExportSessions: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export a profile, sealed under a passphrase.",
        discussion: """
            The file is a copy of the session. Where refresh tokens rotate, the copy that
            is used first ends the other one: remove the profile here after you have
            imported it elsewhere.

            EXAMPLES
              ostiary sessions export --passphrase-env PASSPHRASE --output-file work.sealed
            """
    )

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup(title: "Passphrase") var passphrase: PassphraseOptions
    @OptionGroup var output: OutputOptions

    @Option(help: ArgumentHelp("The file, which its owner alone can read.", valueName: "file"), completion: .file())
    var outputFile: String

    @Flag(help: "Replace an existing file.")
    var force = false

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let secret = try passphrase.secret(console: console)
        let store = place.store.open()
        let keys = try await StoredProfiles(in: store).keys(of: place.profile)
        guard !keys.isEmpty else { throw await ExplainedError(noProfile: place) }
        if !force, FileManager.default.fileExists(atPath: outputFile) {
            throw UsageError("The file \(outputFile.shortened) is there already: name another one, or add --force.")
        }
        // Opened before the passphrase is hashed, which takes seconds.
        let file = try OutputFile(path: outputFile)
        let archive: [UInt8]
        do throws(SessionArchive.Failure) {
            archive = try await SessionArchive.export(keys, from: store, passphrase: secret)
        } catch {
            throw error.explained
        }
        try file.write(Secret(String(decoding: archive, as: UTF8.self)))
        return Answer(
            members: ["exported": .string(place.profile.description), "values": .integer(keys.count)],
            text: "Exported \(place.profile)\n"
        )
    }
}

/// The source of an archive's passphrase.
struct PassphraseOptions: ParsableArguments {
    @Option(
        name: .customLong("passphrase-file"),
        help: ArgumentHelp("A file with the passphrase in one line.", valueName: "file"),
        completion: .file()
    )
    var file: String?

    @Option(
        name: .customLong("passphrase-env"),
        help: ArgumentHelp("The environment variable with the passphrase.", valueName: "name")
    )
    var variable: String?

    mutating func validate() throws {
        if (file == nil) == (variable == nil) {
            throw ValidationError("Give the passphrase once: --passphrase-file or --passphrase-env.")
        }
    }

    /// Reads it.
    func secret(console: Console) throws(UsageError) -> Secret {
        if let file { return try SecretSource.file(file).secret(console: console) }
        return try SecretSource.environment(variable ?? "").secret(console: console)
    }
}

/// The store of a command.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The store of sessions: keyring for the desktop's, file:PATH for a sealed folder, or memory.",
            valueName: "store"
        ),
        completion: .list(["keyring", "memory", "file:"]),
        transform: StoreLocation.named
    )
    var store: StoreLocation = SessionOptions.defaultStore
}

extension SessionArchive.Failure {
    /// The same error in the command's terms.
    var explained: any Error {
        switch self {
        case .storage(let failure): SignInError(.storage, .storage(failure))
        case .wrongPassphrase: UsageError("The passphrase is another one, or the file was changed.")
        case .unknownVersion: UsageError("The file is of a newer version than this ostiary can read.")
        case .emptyPassphrase: UsageError("The passphrase is empty.")
        default: UsageError("The file holds no exported sessions.")
        }
    }
}
