import Foundation

/// The folder of the device's files: a temporary one of this process, and not the home of the developer.
enum AppFolders {
    private static let root = FileManager.default.temporaryDirectory
        .appendingPathComponent("simulated-device-\(ProcessInfo.processInfo.processIdentifier)", isDirectory: true)

    /// A folder of a new device; it is made by the first write.
    static func new() -> URL { root.appendingPathComponent(UUID().uuidString, isDirectory: true) }

    /// Moves what Foundation calls Application Support, and removes everything when the process ends.
    static func moveHome() {
        setenv("XDG_DATA_HOME", root.appendingPathComponent("Application Support").path, 1)
        atexit { try? FileManager.default.removeItem(at: AppFolders.root) }
    }
}

extension SimulatedDevice {
    /// The container that the apps of a group share; `nil` on an iPhone for an app that is not entitled to the group.
    ///
    /// On a Mac there is always a URL, of use to those who are entitled.
    public func container(ofGroup group: String) -> URL? {
        with { state in
            guard state.isMac || state.app.appGroups.contains(group) else { return nil }
            return state.files.appendingPathComponent("Group Containers/\(group)", isDirectory: true)
        }
    }
}
