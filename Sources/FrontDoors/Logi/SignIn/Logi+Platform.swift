public import Ostiary

extension Logi {
    #if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
        /// Opens the provider's own app by its universal link.
        public static let platformOpener: Opener? = AppHandoff.systemOpener

        /// Cancels the sign-in when the user comes back from the provider's app and no redirect follows.
        public static let platformReturn = AppReturn.cancelling()
    #else
        /// `nil`: the provider has no app on this platform.
        public static let platformOpener: Opener? = nil

        /// No action: there is no app to come back from.
        public static let platformReturn = AppReturn.ignored
    #endif
}
