import Foundation
import HTTPTypes
import OstiaryOAuth
import ProjectDoctor

extension AssociationFile {
    /// Reads the file at a path, or fetches the one at a URL as Apple does: over https, without following a redirect.
    ///
    /// An http URL must be on a loopback host.
    ///
    /// - Throws: ``UsageError`` when there is no such file; `transport` at stage `discovery` when no response came.
    init(named name: String) async throws {
        let isURL = ["https://", "http://"].contains { name.lowercased().hasPrefix($0) }
        self = isURL ? try await Self.fetched(name) : try Self.read(name)
    }

    private static func read(_ path: String) throws(UsageError) -> AssociationFile {
        let bytes = try InputFile.bytes(of: path, "association", limit: 16_777_216)
        return AssociationFile(.file(path), bytes: bytes)
    }

    private static func fetched(_ name: String) async throws -> AssociationFile {
        guard let url = URL(string: name), let host = url.host(), !host.isEmpty, url.user() == nil else {
            throw UsageError("\(name) is not the URL of an association file.")
        }
        let isLocal = ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
        guard url.scheme?.lowercased() == "https" || isLocal else {
            return AssociationFile(.fetched(url: name, status: nil, mediaType: nil), bytes: [])
        }
        let request = EndpointRequest(
            url: url,
            fields: [.accept: "application/json"],
            limits: EndpointRequest.Limits(maximumBodyBytes: maximumBytes)
        )
        do throws(TransportFailure) {
            let response = try await commandTransport.send(request)
            let origin = Origin.fetched(url: name, status: response.status.code, mediaType: response.mediaType)
            return AssociationFile(origin, bytes: response.body)
        } catch {
            switch error {
            case .tooLarge:
                return AssociationFile(.fetched(url: name, status: 200, mediaType: "application/json"), bytes: nil)
            case .redirectRefused:
                return AssociationFile(.fetched(url: name, status: 302, mediaType: nil), bytes: [])
            default: throw SignInError(.discovery, .transport(error))
            }
        }
    }
}
