extension FileStore {
    /// The reason a ``FileStore`` cannot be used, with the file or folder to look at.
    public enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
        /// The key file is missing, and the folder holds values that are sealed with its key.
        case keyMissing(file: String, folder: String)
        /// The keyring, or another store that keeps the key, no longer has it, and the folder holds values that are
        /// sealed with it.
        ///
        /// The keyring was reset or replaced.
        case keptKeyMissing(key: StoreKey, folder: String)
        /// Other users may read or change the key file.
        ///
        /// - Parameter mode: The file's permissions, in octal digits such as `644`.
        case keyExposed(file: String, mode: String)
        /// The key file holds no key; the reason ends a sentence, such as "it has 31 bytes, and not 32".
        case keyUnusable(file: String, reason: String)
        /// The key file belongs to a user other than the one that runs the process, each by its number.
        case keyOfAnotherUser(file: String, owner: UInt32, user: UInt32)
        /// The key file exists, and its owner may not read it; the reason is the system's, such as "Permission denied".
        case keyUnreadable(file: String, reason: String)
        /// The path of the key file leads nowhere; the reason is the system's, such as "Not a directory".
        case keyUnreachable(file: String, reason: String)
        /// The disk of the folder is full.
        case diskFull(folder: String)
        /// The folder cannot be used; the reason ends a sentence, such as "Permission denied".
        case folderUnusable(folder: String, reason: String)
        /// The folder holds more files than ``FileStore`` lists.
        case tooManyFiles(folder: String, limit: Int)

        /// The problem and one next step.
        public var description: String {
            switch self {
            case .keyMissing(let file, let folder):
                "The key file \(file) is missing, and \(folder) holds values that are sealed with it. "
                    + "Restore the key file; without it they are lost: remove \(folder) to begin anew."
            case .keptKeyMissing(let key, let folder):
                "The keyring has no key \(key), and \(folder) holds values that are sealed with it. "
                    + "Without the key they are lost. To begin anew, run: rm -r '\(folder.replacing("'", with: "'\\''"))'"
            case .keyExposed(let file, let mode):
                "The key file \(file) has mode \(mode): other users may read it. Run: chmod 600 \(file)"
            case .keyUnusable(let file, let reason):
                "The key file \(file) cannot be used: \(reason). Restore it from a backup."
            case .keyOfAnotherUser(let file, let owner, let user):
                "The key file \(file) belongs to user \(owner), and this process runs as user \(user). "
                    + "Run it as user \(owner), or make the file yours: sudo chown \(user) \(file)"
            case .keyUnreadable(let file, let reason):
                "The key file \(file) cannot be read: \(reason). Run: chmod 600 \(file)"
            case .keyUnreachable(let file, let reason):
                "The key file \(file) cannot be reached: \(reason). "
                    + "Check each folder of this path: it has to be a folder that you may enter."
            case .diskFull(let folder): "The disk of \(folder) is full. Make room and try again."
            case .folderUnusable(let folder, let reason): "The folder \(folder) cannot be used: \(reason)."
            case .tooManyFiles(let folder, let limit):
                "The folder \(folder) holds more than \(limit) files of values, the limit of a list. "
                    + "Remove values by name."
            }
        }
    }
}
