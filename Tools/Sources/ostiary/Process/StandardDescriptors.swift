import Foundation

/// The descriptors 0 to 2, which a program may be started without.
enum StandardDescriptors {
    /// Opens `/dev/null` on each of them that is closed.
    ///
    /// Otherwise the next pipe or socket gets such a number, and what a command prints goes into it. Standard output is
    /// opened for reading alone, so that a write to it still fails and the command says so by its exit status.
    static func reserve() {
        for (descriptor, mode) in [(STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY)] {
            guard fcntl(descriptor, F_GETFD) < 0 else { continue }
            let opened = open("/dev/null", mode)
            guard opened >= 0, opened != descriptor else { continue }
            dup2(opened, descriptor)
            close(opened)
        }
    }
}
