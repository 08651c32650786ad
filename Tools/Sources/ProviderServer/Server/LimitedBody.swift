import HTTPTypes
import HummingbirdCore
import NIOCore

/// A request's body, read up to a limit.
enum LimitedBody {
    /// All of it.
    case whole([UInt8])
    /// The body is too large, and has been read to its end, so that the sender reads the response.
    case tooLarge
    /// The body is far too large to be read to its end: respond, then close.
    case endless

    /// The number of bytes after which reading stops.
    static let patience = 1_048_576

    /// Reads a body.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limit: The largest body that is kept, in bytes.
    /// - Throws: The failure of the connection.
    init(reading request: Request, limit: Int) async throws {
        let patience = max(Self.patience, limit)
        if let announced = request.headers[.contentLength].flatMap(Int.init), announced > patience {
            self = .endless
            return
        }
        var bytes: [UInt8] = []
        var count = 0
        for try await chunk in request.body {
            count += chunk.readableBytes
            guard count <= patience else {
                self = .endless
                return
            }
            if count <= limit { bytes += chunk.readableBytesView }
        }
        self = count <= limit ? .whole(bytes) : .tooLarge
    }
}
