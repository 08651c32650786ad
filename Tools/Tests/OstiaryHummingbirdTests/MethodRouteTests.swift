import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import OstiaryHummingbird
import OstiaryServer
import Testing

@Suite("A place of the backend kit that answers several methods")
struct MethodRouteTests {
    private struct TestSource: RequestContextSource {
        let logger = Logger(label: "test")
    }

    private struct Context: RequestContext {
        typealias Source = TestSource
        var coreContext: CoreRequestContextStorage
        init(source: Source) { coreContext = CoreRequestContextStorage(source: source) }
    }

    /// Says in a field which method it was asked by.
    private struct Named: ServerEndpoint {
        func respond(to request: ServerRequest) async -> ServerResponse {
            ServerResponse(status: .ok, fields: [.server: request.method.rawValue])
        }
    }

    private func ask(_ method: HTTPRequest.Method) async throws -> Response {
        let router = Router(context: Context.self)
        router.add(Named(), at: "place", for: [.get, .delete])
        let head = HTTPRequest(method: method, scheme: nil, authority: nil, path: "/place")
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        return try await router.buildResponder().respond(to: request, context: Context(source: TestSource()))
    }

    @Test("A method route learns the request's method", arguments: [HTTPRequest.Method.get, .delete])
    func answered(_ method: HTTPRequest.Method) async throws {
        let response = try await ask(method)
        #expect(response.status == .ok && response.headers[.server] == method.rawValue)
    }

    @Test("A method route responds 405 with all its methods", arguments: [HTTPRequest.Method.post, .put, .patch])
    func refused(_ method: HTTPRequest.Method) async throws {
        let response = try await ask(method)
        #expect(response.status == .methodNotAllowed && response.headers[.allow] == "GET, DELETE")
    }
}
