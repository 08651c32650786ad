#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    import AuthenticationServices
    import Foundation
    import HTTPTypes
    import OstiaryOAuth

    /// The forms of the system's sheet, which differ by the version of the system.
    enum WebAuthenticationSystem: Sendable, Hashable {
        /// Custom schemes alone, no header fields: before iOS 17.4, macOS 14.4 and visionOS 1.1.
        case schemes
        /// Custom schemes, https redirects and header fields.
        case callbacks

        /// The form of the system that the process runs on.
        static var current: Self {
            if #available(iOS 17.4, macOS 14.4, visionOS 1.1, *) { .callbacks } else { .schemes }
        }

        /// Rejects settings that the sheet of this system does not support.
        ///
        /// - Throws: `configuration` at stage `authorization` for an https redirect or header fields with ``schemes``.
        func check(_ callback: WebAuthenticationCallback, _ headerFields: [String: String]) throws(SignInError) {
            guard self == .schemes else { return }
            if let host = callback.host {
                throw Self.refusal(
                    "The redirect URI is an https URL on \(host), which the system's sheet takes from iOS 17.4, macOS 14.4 and "
                        + "visionOS 1.1 on: register a redirect URI with a custom scheme for older systems."
                )
            }
            if !headerFields.isEmpty {
                throw Self.refusal(
                    "The system's sheet sends header fields from iOS 17.4, macOS 14.4 and visionOS 1.1 on: leave "
                        + "headerFields empty on older systems."
                )
            }
        }

        /// Creates a session in the form of this system.
        func session(
            _ url: URL,
            _ callback: WebAuthenticationCallback,
            _ headerFields: [String: String],
            reportingTo completion: @escaping @Sendable (URL?, (any Error)?) -> Void
        ) -> ASWebAuthenticationSession {
            if self == .callbacks, #available(iOS 17.4, macOS 14.4, visionOS 1.1, *) {
                let session = ASWebAuthenticationSession(
                    url: url,
                    callback: callback.systemValue,
                    completionHandler: completion
                )
                if !headerFields.isEmpty { session.additionalHeaderFields = headerFields }
                return session
            }
            return ASWebAuthenticationSession(
                url: url,
                callbackURLScheme: callback.scheme,
                completionHandler: completion
            )
        }

        private static func refusal(_ sentence: String) -> SignInError {
            SignInError(.authorization, .configuration(sentence))
        }
    }

    /// The header fields that the system's sheet sends with its first request.
    ///
    /// "All header field names must start with the \"X-\" prefix" (ASWebAuthenticationSession.h). The system ends a
    /// session with a field that it does not accept, and does not name the field.
    enum WebAuthenticationHeaderFields {
        /// Rejects a field that the system would not accept.
        ///
        /// - Throws: `configuration`, with the field's name and never its value.
        static func check(_ fields: [String: String]) throws(SignInError) {
            for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
                guard name.hasPrefix("X-"), name.utf8.count > 2, HTTPField.Name(name) != nil else {
                    throw refusal(
                        "The system's sheet does not send the header field \"\(name)\": give it a name that begins with X-."
                    )
                }
                guard HTTPField.isValidValue(value) else {
                    throw refusal(
                        "The system's sheet does not send the header field \"\(name)\": remove the line breaks and other "
                            + "control characters from its value."
                    )
                }
            }
        }

        private static func refusal(_ sentence: String) -> SignInError {
            SignInError(.authorization, .configuration(sentence))
        }
    }
#endif
