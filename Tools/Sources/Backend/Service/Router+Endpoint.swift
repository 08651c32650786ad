import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import OstiaryServer

extension Router where Context == BackendContext {
    /// Mounts an endpoint of the kit.
    func add(
        _ endpoint: some ServerEndpoint,
        at path: String,
        sender: BackendConfiguration.ClientAddress
    ) {
        on(RouterPath(path), method: endpoint.method) { request, context in
            var body: [UInt8] = []
            for try await chunk in request.body {
                body += chunk.readableBytesView
                guard body.count <= endpoint.maximumBodyBytes else { return Response(endpoint.refusal(.tooLarge)) }
            }
            return Response(
                await endpoint.respond(
                    to: ServerRequest(
                        method: request.method,
                        target: request.uri.string,
                        fields: request.headers,
                        body: body,
                        sender: sender.name(request, context)
                    )
                )
            )
        }
    }
}

extension Response {
    fileprivate init(_ response: ServerResponse) {
        self.init(
            status: response.status,
            headers: response.fields,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: response.body))
        )
    }
}

extension BackendConfiguration.ClientAddress {
    /// Who a request is from; `nil` when nobody knows.
    func name(_ request: Request, _ context: BackendContext) -> String? {
        switch self {
        case .connection: return context.remoteAddress?.ipAddress
        case .forwarded:
            // What stands before the last entry is what the client wrote, and no more true than it.
            let last = request.headers[values: .init("X-Forwarded-For")!].last?.split(separator: ",").last
            return last.map { String($0.filter { $0 != " " }) }
        }
    }
}
