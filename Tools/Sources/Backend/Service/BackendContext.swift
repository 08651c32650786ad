import Hummingbird
import HummingbirdCore
import NIOCore
import OstiaryHummingbird

/// The context of one request to the service.
struct BackendContext: AccessTokenContext, RemoteAddressRequestContext {
    var coreContext: CoreRequestContextStorage
    var accessToken: VerifiedAccessToken?
    let remoteAddress: SocketAddress?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
    }
}
