import Foundation

/// The resource that is missing between a request and the storing of its response.
extension CommandStage {
    /// Fills the disk while the response is in transit, and makes room again after a while.
    mutating func fullDisk() async throws {
        try await signIn()
        let outages = [0.3, 1, 3, 8, 20, 60].filter { $0 <= run.outage }
        for seconds in outages {
            guard let running = try await held(["refresh"]) else { return problems.append("refresh sent no request") }
            disk?.fill()
            answers.release()
            try await Task.sleep(for: .seconds(seconds))
            disk?.empty()
            let status = try await running.end()
            if status != 0 {
                problems.append(
                    "with a full disk for \(seconds) s refresh ended with \(status): \(running.errorText)"
                )
            }
            try await expectSession(after: "a full disk for \(seconds) s")
        }
        figures.append("a full disk for \(outages.map { "\($0)" }.joined(separator: ", ")) s")
    }

    /// Lets a command have few descriptors.
    mutating func descriptors() async throws {
        try await signIn()
        var failed = 0
        let limits = run.repetitions > 1 ? Array(8...64) : [12, 16, 18, 19, 20, 21, 22, 24, 28, 32]
        for limit in limits {
            let status = try await command(["refresh"], descriptors: limit).end()
            if status != 0 { failed += 1 }
            try await expectSession(after: "a limit of \(limit) descriptors")
        }
        figures.append("\(limits.count) limits of \(limits.first ?? 0) to \(limits.last ?? 0) descriptors")
        figures.append("\(failed) commands failed")
    }

    /// Ends the keyring while the response is in transit, and starts it again.
    mutating func restartedKeyring() async throws {
        let bus = try SessionBus(folder: place.folder)
        defer { bus.end() }
        variables = bus.variables
        store = "keyring"
        try await bus.startKeyring()
        try await signIn()
        for number in 0..<max(2, run.repetitions) {
            guard let running = try await held(["refresh"]) else { return problems.append("refresh sent no request") }
            bus.killKeyring()
            // The keyring comes back before the response, or after it.
            if number.isMultiple(of: 2) { try await bus.startKeyring() }
            answers.release()
            if !number.isMultiple(of: 2) {
                try await Task.sleep(for: .milliseconds(500))
                try await bus.startKeyring()
            }
            let status = try await running.end()
            if status != 0 {
                problems.append("with another keyring refresh ended with \(status): \(running.errorText)")
            }
            try await expectSession(after: "a restart of the keyring")
        }
        figures.append("\(max(2, run.repetitions)) restarts")
    }
}
