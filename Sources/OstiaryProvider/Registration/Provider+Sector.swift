import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

extension Provider {
    /// Checks that the document at `sector_identifier_uri` has every redirect URI of a client that registers (OpenID
    /// Connect Dynamic Client Registration section 5).
    func checkSector(of metadata: CheckedClientMetadata) async throws {
        let name = "sector_identifier_uri"
        guard let text = metadata.members[name]?.string, let transport = configuration.outbound,
            let uri = try? ClientURI(text, reach: configuration.registration.reach)
        else { return }
        if let bound = requestFetches.begin(nil, now: now) {
            let error = OAuthError(code: .temporarilyUnavailable, description: "Try again later: \(bound).")
            throw Refusal.with([.retryAfter: "60"], .json(error, .serviceUnavailable))
        }
        defer { requestFetches.end(nil) }
        let response: EndpointResponse
        do throws(OutboundFailure) {
            response = try await transport.send(
                EndpointRequest(url: uri.resource, limits: ClientKeySets.limits),
                reach: uri.reach
            )
        } catch {
            throw Refusal.metadata("The \(name) cannot be read. \(error)")
        }
        guard response.status == .ok else {
            throw Refusal.metadata(
                "The \(name) cannot be read. The host responded with status \(response.status.code)."
            )
        }
        let document = Array(#"{"uris":"#.utf8) + response.body + Array("}".utf8)
        guard let object = try? JSONObject(parsing: document), object.names == ["uris"],
            let listed = object["uris"]?.array?.map(\.string), !listed.contains(nil)
        else { throw Refusal.metadata("The \(name) is not a JSON array of texts.") }
        let uris = metadata.members["redirect_uris"]?.array?.compactMap(\.string) ?? []
        guard uris.allSatisfy({ uri in listed.contains { $0?.utf8.elementsEqual(uri.utf8) ?? false } }) else {
            throw Refusal.metadata("The array at \(name) lacks one of redirect_uris.")
        }
    }
}
