import OstiaryOAuth

/// What a folder of values asks the operating system for, step by step, so that a test can let any of them fail.
package enum FileStep: String, Sendable, Hashable, CaseIterable {
    /// Opening and reading a value's file.
    case read
    /// Making the folder, where there is none.
    case makeFolder
    /// Taking the turn to write.
    case takeTurn
    /// Making the new file.
    case create
    /// Writing its bytes.
    case write
    /// Bringing them to the disk.
    case synchronize
    /// Putting the new file in the place of the old one.
    case rename
    /// Removing a file.
    case remove
    /// Listing the folder.
    case list

    /// Called before each step; what it throws is what the step fails with.
    package typealias Fault = @Sendable (FileStep) throws(StorageFailure) -> Void
}
