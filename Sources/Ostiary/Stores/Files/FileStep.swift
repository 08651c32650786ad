import OstiaryOAuth

/// The operating system's steps in a folder of values, each of which a test can let fail.
package enum FileStep: String, Sendable, Hashable, CaseIterable {
    /// Opening and reading a value's file.
    case read
    /// Creating the folder, when it is missing.
    case makeFolder
    /// Taking the turn to write.
    case takeTurn
    /// Creating the new file.
    case create
    /// Writing the new file's bytes.
    case write
    /// Flushing them to the disk.
    case synchronize
    /// Replacing the old file with the new one.
    case rename
    /// Removing a file.
    case remove
    /// Listing the folder.
    case list

    /// Called before each step; an error that it throws fails the step.
    package typealias Fault = @Sendable (FileStep) throws(StorageFailure) -> Void
}
