import Foundation
import OstiaryOAuth

/// The way in which a token reaches the program that ``Exec`` runs.
enum TokenDelivery {
    /// An environment variable: the token of the start, whenever it is read.
    case environment(String)
    /// In a file for this user alone, whose path is in an environment variable: always the current token.
    case file(variable: String, TokenFile)
    /// As lines through a descriptor: the token of the start, and a line more for each that follows.
    case descriptor(Int32, TokenPipe)

    /// The additions to the program's environment for a first token.
    func variables(for token: Secret) -> [String: String] {
        switch self {
        case .environment(let name): [name: token.reveal()]
        case .file(let variable, let file): [variable: file.path]
        case .descriptor: [:]
        }
    }

    /// Hands a token over.
    func deliver(_ token: Secret) throws(UsageError) {
        switch self {
        case .environment: break
        case .file(_, let file): try file.write(token)
        case .descriptor(_, let pipe): pipe.write(token)
        }
    }

    /// Whether later tokens can be handed over.
    var takesLaterTokens: Bool { if case .environment = self { false } else { true } }

    /// The descriptor for the program.
    var passing: (own: Int32, number: Int32)? {
        if case .descriptor(let number, let pipe) = self { (pipe.reading, number) } else { nil }
    }

    /// Removes the remains of the delivery.
    func end() { if case .file(_, let file) = self { file.remove() } }
}

/// A file with one token, replaced whole.
enum TokenFile: Sendable {
    #if os(Linux)
        case nameless(NamelessTokenFile)
    #endif
    case folder(TokenFolder)

    /// One that cannot outlive this process, where the system has such a thing.
    init() throws(UsageError) {
        #if os(Linux)
            if let file = NamelessTokenFile() {
                self = .nameless(file)
                return
            }
        #endif
        self = .folder(try TokenFolder())
    }

    /// The path of the file.
    var path: String {
        switch self {
        #if os(Linux)
            case .nameless(let file): file.path
        #endif
        case .folder(let folder): folder.path
        }
    }

    /// Puts a token into it; a reader sees the old one or the new one.
    func write(_ token: Secret) throws(UsageError) {
        switch self {
        #if os(Linux)
            case .nameless(let file): try file.write(token)
        #endif
        case .folder(let folder): try folder.write(token)
        }
    }

    /// Removes it.
    func remove() {
        switch self {
        #if os(Linux)
            case .nameless(let file): file.remove()
        #endif
        case .folder(let folder): folder.remove()
        }
    }
}

/// A pipe that tokens go through, one line each.
struct TokenPipe: Sendable {
    let reading: Int32
    private let writing: Int32

    init() throws(UsageError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw UsageError("No pipe can be made for the token: \(SystemError.current).") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // A program that reads nothing does not stop this one: it misses a line.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        (reading, writing) = (ends[0], ends[1])
    }

    /// Puts a line into it, if there is room for it.
    func write(_ token: Secret) {
        let line = Array((token.reveal() + "\n").utf8)
        // Up to this length a line is written whole or not at all (POSIX.1-2024, PIPE_BUF); longer ones fit a new pipe.
        _ = Foundation.write(writing, line, line.count)
    }
}
