import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

/// The secrets by which an exchange is known to belong to a flow; they are compared, and never recorded.
struct FlowHandles: Sendable {
    /// Those that the request presents, the most telling first.
    let presented: [String]
    /// Those that the response hands out.
    private(set) var issued: [String]

    /// The parameters of requests that name an earlier exchange.
    private static let presentable: [Parameters.Name] = [
        .code, .refreshToken, .deviceCode, .requestURI, Parameters.Name(rawValue: PageInput.interaction), .token,
        .subjectToken, .actorToken, .idTokenHint, "access_token",
    ]
    /// The members of responses that a later request presents.
    private static let issuable: Set<String> = [
        "code", "access_token", "refresh_token", "id_token", "request_uri", "device_code", PageInput.interaction,
    ]

    init(_ request: ProviderRequest, _ response: ProviderResponse, members: [(name: String, value: JSONValue)]) {
        let sent = request.method == .post ? request.formParameters : request.queryParameters
        // A user code first: the page for it has an interaction of its own.
        let userCode = sent?[.userCode].flatMap(UserCode.init(typed:))?.letters
        let token = request.fields[.authorization].flatMap { PresentedToken($0) }?.text
        let named = Self.presentable.map { sent?[$0] }
        presented = ([userCode] + named + [token]).compactMap(\.self)
        var issued = members.filter { Self.issuable.contains($0.name) }.compactMap(\.value.string)
        let shownCode = members.first { $0.name == "user_code" }?.value.string
        if let code = shownCode.flatMap(UserCode.init(typed:)) { issued.append(code.letters) }
        if case .page(let page) = response.content {
            issued += page.form?.hiddenFields.filter { Self.issuable.contains($0.name) }.map(\.value) ?? []
        }
        self.issued = issued
    }

    /// The handles of a logout token: the login and the client, which a grant has named before.
    init(ending session: String, of clientID: String) {
        presented = [Provider.sessionClient(session, clientID)]
        issued = []
    }

    /// Adds the login and the client of a grant, so that the logout token for them is known to belong to the flow.
    mutating func add(_ grant: IssuedGrant) {
        guard let session = grant.session else { return }
        issued.append(Provider.sessionClient(session, grant.clientID))
    }
}
