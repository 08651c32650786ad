import Foundation

/// A session bus of its own, with a keyring that can be ended and started.
final class SessionBus {
    private let bus = Process()
    private var keyring: Process?
    private let folder: String
    private let address: String

    /// Starts the bus.
    ///
    /// - Throws: ``TrialUnavailable`` where the programs are missing.
    init(folder: String) throws {
        for program in ["dbus-daemon", "dbus-send", "gnome-keyring-daemon"]
        where !FileManager.default.isExecutableFile(atPath: "/usr/bin/" + program) {
            throw TrialUnavailable(reason: "/usr/bin/\(program) is missing")
        }
        self.folder = folder
        let output = Pipe()
        bus.executableURL = URL(filePath: "/usr/bin/dbus-daemon")
        let configuration = folder + "/bus.conf"
        try Data(Self.configuration.utf8).write(to: URL(filePath: configuration))
        bus.arguments = ["--config-file=" + configuration, "--nofork", "--print-address=1"]
        bus.environment = ["HOME": folder + "/home", "PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": folder + "/run"]
        bus.standardOutput = output
        bus.standardError = FileHandle.nullDevice
        try bus.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        address = line.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A bus that starts no service itself: a request in the keyring's absence would start a locked one, in place of
    /// the one that comes back.
    private static let configuration = """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
          "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:tmpdir=/tmp</listen>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
          </policy>
        </busconfig>

        """

    /// The environment variables by which a command finds it.
    var variables: [String: String] {
        [
            "DBUS_SESSION_BUS_ADDRESS": address, "XDG_DATA_HOME": folder + "/data", "XDG_RUNTIME_DIR": folder + "/run",
        ]
    }

    /// Starts the keyring, unlocked, and waits until it is on the bus.
    func startKeyring() async throws {
        let input = Pipe()
        let process = try start(["gnome-keyring-daemon", "--unlock", "--components=secrets", "--foreground"], input)
        try input.fileHandleForWriting.write(contentsOf: Data("keyring password".utf8))
        try input.fileHandleForWriting.close()
        keyring = process
        for _ in 0..<200 {
            // Only the bus is queried: a request to the keyring would fail until the keyring is there.
            let output = Pipe()
            let look = try start(
                [
                    "dbus-send", "--session", "--print-reply=literal", "--dest=org.freedesktop.DBus", "/",
                    "org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets",
                ],
                nil,
                output
            )
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            look.waitUntilExit()
            if text.contains("true") { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw TrialUnavailable(reason: "the keyring did not come")
    }

    /// Ends the keyring as a crash does.
    func killKeyring() {
        guard let keyring else { return }
        // Not waited for: the wait would end with a descriptor, which the command that is in progress may have
        // inherited.
        kill(keyring.processIdentifier, SIGKILL)
    }

    /// Ends both.
    func end() {
        killKeyring()
        // It may have been started with SIGTERM blocked.
        kill(bus.processIdentifier, SIGKILL)
    }

    private func start(_ command: [String], _ input: Pipe?, _ output: Pipe? = nil) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/" + command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = ["HOME": folder + "/home", "PATH": "/usr/bin:/bin"].merging(variables) { $1 }
        if let input { process.standardInput = input } else { process.standardInput = FileHandle.nullDevice }
        if let output { process.standardOutput = output } else { process.standardOutput = FileHandle.nullDevice }
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }
}
