import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryMigration
import OstiaryOAuth

/// `ostiary sessions import`: the sessions of an archive.
struct ImportSessions: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import an exported profile into a store.",
        discussion: "A profile of the same name is replaced. Nothing is written unless the whole file can be opened."
    )

    @OptionGroup(title: "Session") var place: StoreOptions
    @OptionGroup(title: "Passphrase") var passphrase: PassphraseOptions
    @OptionGroup var output: OutputOptions

    @Option(help: ArgumentHelp("The file.", valueName: "file"), completion: .file())
    var inputFile: String

    var location: StoreLocation { place.store }

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        let secret = try passphrase.secret(console: console)
        let archive = try InputFile.bytes(of: inputFile, "session", limit: 16_777_216)
        let keys: [StoreKey]
        do throws(SessionArchive.Failure) {
            keys = try await SessionArchive.restore(archive, to: place.store.open(), passphrase: secret)
        } catch {
            throw error.explained
        }
        let names = Set(keys.compactMap { $0.description.split(separator: "/").dropFirst().first.map(String.init) })
            .filter { name in keys.contains { $0.description == "profile/\(name)" } }.sorted()
        return Answer(
            members: ["imported": .texts(names), "values": .integer(keys.count)],
            text: "Imported \(names.joined(separator: ", ").printable)\n"
        )
    }
}
