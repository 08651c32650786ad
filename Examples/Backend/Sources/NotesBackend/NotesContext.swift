public import Hummingbird
public import NIOCore
public import OstiaryHummingbird

/// The context of one request.
public struct NotesContext: AccessTokenContext, RemoteAddressRequestContext {
    /// Hummingbird's own part.
    public var coreContext: CoreRequestContextStorage
    /// The access token that let the request in, on a guarded route.
    public var accessToken: VerifiedAccessToken?
    /// The other end of the connection, for limits.
    public let remoteAddress: SocketAddress?

    /// Begins with a request.
    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
    }
}
