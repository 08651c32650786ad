#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    import HTTPTypes
    import OstiaryOAuth

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
