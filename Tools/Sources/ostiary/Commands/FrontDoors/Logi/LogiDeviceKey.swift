import ArgumentParser
import Ostiary
import OstiaryJOSE
import OstiaryLogi
import OstiaryOAuth
import ProviderServer

/// `ostiary logi device-key`: this device's key for the user's account.
struct LogiDeviceKey: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "device-key",
        abstract: "Print a key of this device for the account.",
        discussion: "The device authenticates with a secret that it gets once; --reset forgets both."
    )

    @Flag(help: "Forget this device; the next call makes a new one.")
    var reset = false

    @Option(help: ArgumentHelp("The kind of device to report.", valueName: "name"))
    var platform = LogiPlatform.macOS.rawValue

    @OptionGroup(title: "Session") var place: SessionOptions
    @OptionGroup var output: OutputOptions

    func answer(on console: Console, telling trace: Trace) async throws -> Answer {
        try await LogiDoor.open(place, telling: trace) { door in
            let device = door.logi.deviceExchange()
            if reset {
                try await device.reset()
                return Answer(members: ["reset": true], text: "This device is forgotten.\n")
            }
            guard let session = try await door.restored() else { throw SignInError(.storage, .signInRequired) }
            let key = try await device.key(for: session, on: LogiPlatform(rawValue: platform))
            let members: JSONObject = [
                "key": .string(key.value.reveal()), "scope": .string(key.scopes.text),
                "deviceRecordID": key.deviceRecordID.map { .string($0) } ?? .null,
            ]
            return Answer(members: members, text: key.value.reveal().printable + "\n")
        }
    }
}
