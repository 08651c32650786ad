#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    import AuthenticationServices
    import OstiaryOAuth

    /// The redirects that end a sheet.
    enum WebAuthenticationCallback: Sendable, Hashable {
        /// Any URL of a scheme; the check of the redirect compares host and path.
        case scheme(String)
        /// One page on a host that is associated with the app.
        case https(host: String, path: String)

        init(_ redirectURI: RedirectURI) throws(SignInError) {
            let parts = redirectURI.parts
            switch parts.scheme {
            case "http":
                throw Self.refusal(
                    "This redirect URI is on loopback, which the system's sheet cannot receive: give a custom scheme or an "
                        + "https URL, or use LoopbackBrowser on macOS."
                )
            case "https":
                guard let authority = parts.authority, authority.port ?? "" == "" || authority.port == "443" else {
                    throw Self.refusal("The system's sheet takes an https redirect on port 443 only.")
                }
                self = .https(host: authority.host, path: parts.path.isEmpty ? "/" : parts.path)
            default:
                self = .scheme(parts.scheme)
            }
        }

        /// The host that has to be associated with the app.
        var host: String? {
            if case .https(let host, _) = self { host } else { nil }
        }

        /// The scheme that ends the sheet in the older form, which supports no https redirect.
        var scheme: String? {
            if case .scheme(let scheme) = self { scheme } else { nil }
        }

        /// The system's form of the callback.
        @available(iOS 17.4, macOS 14.4, visionOS 1.1, *)
        var systemValue: ASWebAuthenticationSession.Callback {
            switch self {
            case .scheme(let scheme): .customScheme(scheme)
            case .https(let host, let path): .https(host: host, path: path)
            }
        }

        private static func refusal(_ sentence: String) -> SignInError {
            SignInError(.authorization, .configuration(sentence))
        }
    }
#endif
