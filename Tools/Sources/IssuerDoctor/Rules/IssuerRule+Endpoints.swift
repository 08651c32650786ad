import Foundation
import OstiaryJOSE

/// Rules about the URLs that the metadata names.
extension IssuerRule {
    static let endpoints: [IssuerRule] = [endpointsForm, endpointsHTTPS, endpointsLocal]

    private static let endpointsForm = IssuerRule(
        "endpoints-form",
        .metadata,
        .error,
        "Each endpoint is a whole URL without fragment and user name",
        source: "RFC 6749 sections 3.1 and 3.2",
        fix: "Write the whole URL up to its path or query."
    ) { answers in
        guard !answers.readable.isEmpty else { return nil }
        return answers.endpoints.compactMap { name, value in
            guard let text = value.string else { return nil }
            guard let parts = URLComponents(string: text), parts.scheme != nil, !(parts.host ?? "").isEmpty,
                parts.user == nil, parts.fragment == nil
            else { return Fault("\(name) is not such a URL.", now: text) }
            return nil
        }
    }

    private static let endpointsHTTPS = IssuerRule(
        "endpoints-https",
        .metadata,
        .error,
        "Each endpoint uses https",
        source: "RFC 6749 sections 3.1 and 3.2; RFC 8414 section 2",
        fix: "Serve the endpoint over https."
    ) { answers in
        guard !answers.readable.isEmpty else { return nil }
        return answers.endpoints.compactMap { name, value in
            guard let text = value.string, let parts = URLComponents(string: text), parts.scheme != nil,
                parts.scheme?.lowercased() != "https", !(answers.isLocal && parts.isOnLoopback)
            else { return nil }
            return Fault("\(name) does not use https, so codes and tokens can be read on the way.", now: text)
        }
    }

    private static let endpointsLocal = IssuerRule(
        "endpoints-local",
        .metadata,
        .error,
        "No endpoint is on the machine of the client",
        source: "Advice of this project",
        fix: "Write the public host of the endpoint."
    ) { answers in
        guard !answers.readable.isEmpty, !answers.isOnLoopback else { return nil }
        return answers.endpoints.compactMap { name, value in
            guard let text = value.string, let parts = URLComponents(string: text), parts.isOnLoopback,
                parts.scheme?.lowercased() == "https"
            else { return nil }
            return Fault("\(name) sends a client's requests into its own machine.", now: text)
        }
    }
}
