import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

extension Provider {
    /// The relation that a link to an issuer has (OpenID Connect Discovery section 2).
    private static let issuerRelation = "http://openid.net/specs/connect/1.0/issuer"

    /// Returns this issuer as the issuer of a user (RFC 7033 section 4.2, OpenID Connect Discovery section 2).
    ///
    /// A user is `acct:NAME@HOST`, or `NAME` below the origin.
    func webFinger(_ request: ProviderRequest) -> ProviderResponse {
        guard let parameters = request.queryParameters, let resource = parameters["resource"],
            parameters.values(of: "resource").count == 1
        else { return ProviderResponse(status: .badRequest, fields: Self.readableByAny) }
        guard knows(resource) else { return ProviderResponse(status: .notFound, fields: Self.readableByAny) }
        var document: JSONObject = ["subject": .string(resource)]
        let relations = parameters.values(of: "rel")
        let isAsked = relations.isEmpty || relations.contains(Self.issuerRelation)
        document["links"] =
            isAsked
            ? [["rel": .string(Self.issuerRelation), "href": .string(configuration.issuer.description)]] : []
        scenario.webFinger(&document)
        return .publicJSON(document, mediaType: "application/jrd+json")
    }

    /// RFC 7033 section 5: also in a response without a document.
    private static let readableByAny: HTTPFields = [.accessControlAllowOrigin: "*"]

    private func knows(_ resource: String) -> Bool {
        guard let issuer = URIParts(configuration.issuer.description), let host = issuer.authority?.host else {
            return false
        }
        return users.contains { person in
            let account = "acct:\(person.name)@\(host)"
            if resource.utf8.elementsEqual(account.utf8) { return true }
            guard let asked = URIParts(resource), asked.isSameOrigin(as: issuer) else { return false }
            return asked.path.utf8.elementsEqual("/\(person.name)".utf8) && asked.query == nil
        }
    }
}
