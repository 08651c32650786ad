import Foundation

/// A certificate for this machine that signs itself, and its key, in a folder that goes with this.
final class SelfMadeCertificate: Sendable {
    private let folder: TemporaryFile
    let certificate: String
    let key: String

    init() async throws {
        folder = try TemporaryFile("certificate.pem")
        certificate = folder.path
        key = URL(filePath: certificate).deletingLastPathComponent().appending(path: "key.pem").path
        let script = """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
                -addext subjectAltName=DNS:localhost -keyout "$1" -out "$2" 2>/dev/null
            """
        _ = try await Conversation("/bin/sh", ["-c", script, "make", key, certificate]).finish()
    }

    /// The configuration of a service that has it.
    var members: String { #""tls": {"certificate_chain": "\#(certificate)", "private_key": "\#(key)"}, "# }
}
