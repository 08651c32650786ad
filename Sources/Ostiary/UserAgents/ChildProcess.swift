#if os(Linux) || os(macOS)
    import Foundation

    /// A child process without input, whose output is discarded and which outlives this process.
    struct ChildProcess: Sendable {
        private let ended = OneAnswer<Int32?>()

        /// Starts a program that is found in `PATH`; `nil` when it is missing or cannot be started.
        init?(starting command: [String]) {
            guard let program = command.first, let process = Self.spawn(program, command) else { return nil }
            let thread = Thread { [ended] in
                var status: Int32 = 0
                var result: pid_t
                repeat { result = waitpid(process, &status, 0) } while result < 0 && errno == EINTR
                // A child that was ended by a signal counts as failed with 128 plus the signal's number, as in a shell.
                let signal = status & 0x7F
                ended.set(result < 0 ? nil : signal == 0 ? status >> 8 & 0xFF : 128 + signal)
            }
            thread.name = "Ostiary browser"
            thread.stackSize = 1 << 17
            thread.start()
        }

        /// Returns the exit status; `nil` when the child still runs at the limit.
        func status(within limit: Duration) async -> Int32? {
            let limiting = Task { [ended] in
                try? await Task.sleep(for: limit)
                ended.set(nil)
            }
            defer { limiting.cancel() }
            return await withTaskCancellationHandler {
                await ended.value()
            } onCancel: {
                ended.set(nil)
            }
        }

        private static func spawn(_ program: String, _ command: [String]) -> pid_t? {
            #if canImport(Darwin)
                var actions: posix_spawn_file_actions_t?
                var attributes: posix_spawnattr_t?
                let closing = POSIX_SPAWN_CLOEXEC_DEFAULT
            #else
                var actions = posix_spawn_file_actions_t()
                var attributes = posix_spawnattr_t()
                let closing = 0
            #endif
            guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
            defer { posix_spawn_file_actions_destroy(&actions) }
            guard posix_spawnattr_init(&attributes) == 0 else { return nil }
            defer { posix_spawnattr_destroy(&attributes) }
            // A browser's output is not this program's output.
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
            // The threads of this program's pools block every signal, and an app may ignore some. A browser that
            // inherits this can only be killed, and misses the end of its own children.
            var signals = sigset_t()
            sigemptyset(&signals)
            posix_spawnattr_setsigmask(&attributes, &signals)
            for number in ordinarySignals { sigaddset(&signals, number) }
            posix_spawnattr_setsigdefault(&attributes, &signals)
            // A process group of its own: an interrupt typed for this program does not end the browser.
            let flags = Int(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | Int(closing)
            posix_spawnattr_setflags(&attributes, Int16(flags))
            var arguments = command.map { strdup($0) } + [nil]
            var variables = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
            defer { (arguments + variables).forEach { free($0) } }
            var process: pid_t = 0
            guard posix_spawnp(&process, program, &actions, &attributes, &arguments, &variables) == 0 else {
                return nil
            }
            return process
        }

        /// Signals that a program may handle or ignore, and whose default another program expects.
        private static let ordinarySignals = [
            SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGCHLD, SIGUSR1, SIGUSR2,
        ]
    }
#endif
