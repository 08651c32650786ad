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

    /// The largest body that is kept, in bytes.
    static let limit = 65_536
    /// The number of bytes after which reading stops.
    static let patience = 1_048_576

    init(reading request: Request) async throws {
        if let announced = request.headers[.contentLength].flatMap(Int.init), announced > Self.patience {
            self = .endless
            return
        }
        var bytes: [UInt8] = []
        var count = 0
        for try await chunk in request.body {
            count += chunk.readableBytes
            guard count <= Self.patience else {
                self = .endless
                return
            }
            if count <= Self.limit { bytes += chunk.readableBytesView }
        }
        self = count <= Self.limit ? .whole(bytes) : .tooLarge
    }
}
