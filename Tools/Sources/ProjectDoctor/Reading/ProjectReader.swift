#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The reason a project cannot be examined.
package enum ProjectReadingError: Error, Sendable, Hashable {
    case noFolder(String)
    case nothingToRead(String)
}

/// Reads the files of a project from its folder.
///
/// Links are not followed, and folders of build products and of dependencies are left out. Number, size and depth of
/// the files are limited.
package struct ProjectReader: Sendable {
    package struct Limits: Sendable {
        package var entries = 100_000
        package var files = 10_000
        package var fileBytes = 1_048_576
        package var projectFileBytes = PropertyListLimits.projectFile.bytes
        package var totalBytes = 67_108_864
        package var depth = 16

        package init() {}
    }

    private let limits: Limits

    package init(limits: Limits = Limits()) { self.limits = limits }

    /// Reads the relevant files below a folder.
    ///
    /// - Throws: `ProjectReadingError` when there is no such folder, or it contains no file of an app's project.
    package func files(at folder: String) throws(ProjectReadingError) -> ProjectFiles {
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { throw .noFolder(folder) }
        var walk = Walk(root: folder, limits: limits)
        walk.visit("", depth: 0)
        guard !walk.found.files.isEmpty else { throw .nothingToRead(folder) }
        return walk.found
    }

    /// Whether a file is relevant: by its extension, or by its whole name.
    static func isOfInterest(_ name: String) -> Bool {
        let endings = [".plist", ".entitlements", ".xcprivacy", ".swift", ".xcconfig"]
        return endings.contains(where: name.hasSuffix) || ["project.pbxproj", "Package.resolved"].contains(name)
            || isConfiguration(name)
    }

    /// A JSON file that an app may take its settings from.
    private static func isConfiguration(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasSuffix(".json") && ["config", "settings", "auth"].contains { name.contains($0) }
    }

    /// Folders that hold nothing of the project's own.
    static func isLeftOut(_ name: String) -> Bool {
        let endings = [
            ".app", ".framework", ".xcframework", ".xcarchive", ".bundle", ".xcassets", ".docc", ".playground",
        ]
        let names = ["DerivedData", "Pods", "Carthage", "node_modules", "build", "SourcePackages", "checkouts"]
        return name.hasPrefix(".") || names.contains(name) || endings.contains(where: name.hasSuffix)
    }
}

/// The way through the folders.
private struct Walk {
    private let root: String
    private let limits: ProjectReader.Limits
    private(set) var found = ProjectFiles(files: [])
    private var entries = 0
    private var bytes = 0

    init(root: String, limits: ProjectReader.Limits) {
        self.root = root
        self.limits = limits
    }

    mutating func visit(_ folder: String, depth: Int) {
        guard
            let names = try? FileManager.default.contentsOfDirectory(
                atPath: folder.isEmpty ? root : root + "/" + folder
            )
        else {
            // Foundation hides the system's error.
            let descriptor = open(folder.isEmpty ? root : root + "/" + folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            let code = descriptor < 0 ? errno : EIO
            if descriptor >= 0 { close(descriptor) }
            return skip(folder, .unreadable(code))
        }
        // In one order on every machine, so that the findings have one order.
        for name in names.sorted() {
            entries += 1
            guard entries <= limits.entries, found.files.count < limits.files else { return skip(folder, .tooMany) }
            look(at: name.below(folder), named: name, depth: depth)
        }
    }

    private mutating func look(at path: String, named name: String, depth: Int) {
        var status = stat()
        guard lstat(root + "/" + path, &status) == 0 else { return }
        switch status.st_mode & S_IFMT {
        case S_IFDIR where !ProjectReader.isLeftOut(name):
            guard depth < limits.depth else { return skip(path, .tooDeep) }
            visit(path, depth: depth + 1)
        case S_IFREG where ProjectReader.isOfInterest(name): read(path, size: Int(status.st_size))
        case S_IFLNK where ProjectReader.isOfInterest(name): skip(path, .link)
        default: break
        }
    }

    private mutating func read(_ path: String, size: Int) {
        let limit = path.hasSuffix(".pbxproj") ? limits.projectFileBytes : limits.fileBytes
        guard size <= limit, bytes + size <= limits.totalBytes else { return skip(path, .tooLarge) }
        do throws(ReadingFailure) {
            let content = try contents(path, limit: limit)
            bytes += content.count
            found.files.append(ProjectFiles.File(path: path, bytes: content))
        } catch {
            skip(path, error.reason)
        }
    }

    private struct ReadingFailure: Error {
        let reason: ProjectFiles.Skipped.Reason
    }

    /// Reads no more than the limit, and nothing through a link that has come since.
    private func contents(_ path: String, limit: Int) throws(ReadingFailure) -> [UInt8] {
        let descriptor = open(root + "/" + path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw ReadingFailure(reason: .unreadable(errno)) }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while content.count <= limit {
            let count = buffer.withUnsafeMutableBytes { platformRead(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ReadingFailure(reason: .unreadable(errno)) }
            if count == 0 { return content }
            content += buffer.prefix(count)
        }
        throw ReadingFailure(reason: .tooLarge)
    }

    private mutating func skip(_ path: String, _ reason: ProjectFiles.Skipped.Reason) {
        // The list of unread files is also limited.
        guard found.skipped.count < 100 else { return }
        found.skipped.append(ProjectFiles.Skipped(path: path.isEmpty ? "." : path, reason: reason))
    }
}

private func platformRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
