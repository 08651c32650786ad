import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension EndpointRequest {
    /// A form that a client posts to an endpoint of its server, with its authentication (RFC 6749 section 2.3).
    ///
    /// A transport may repeat it: to push, revoke or introspect twice does no harm.
    ///
    /// The deadline counts from the first byte sent to the last byte read, by default as for every request.
    /// `maximumBodyBytes` limits the response body, by default to 65,536.
    init(
        posting form: Parameters,
        to url: URL,
        as client: Client,
        at server: AuthorizationServer,
        deadline: Duration = Limits().deadline,
        maximumBodyBytes: Int = 65_536,
        _ fresh: inout Freshness
    ) throws(SignInError) {
        self.init(
            url: url,
            method: .post,
            fields: [.accept: "application/json"],
            form: form,
            limits: Limits(maximumBodyBytes: maximumBodyBytes, deadline: deadline)
        )
        mayBeRepeated = true
        try client.authentication.apply(&self, client, server, &fresh)
    }
}
