import Observation
import OstiarySwiftUI

/// The providers of the app, made once and outside the views.
@MainActor @Observable
final class ProviderList {
    let providers: [SignInProvider]

    init(_ environment: @MainActor (SignInWindow) -> AppEnvironment = { AppEnvironment(window: $0) }) {
        providers = SignInProvider.Kind.allCases.map { SignInProvider($0, environment) }
    }
}

/// A provider, and the user who is signed in there.
@MainActor
final class SignInProvider: Identifiable {
    enum Kind: String, CaseIterable {
        case logi, logto, curity, ssafy, zephr

        /// The name that users know it by.
        var name: String {
            switch self {
            case .logi: "logi"
            case .logto: "Logto"
            case .curity: "Curity"
            case .ssafy: "SSAFY Verify"
            case .zephr: "Zephr"
            }
        }
    }

    let kind: Kind
    let model: SignInModel<UserAccount>
    let form: RegistrationForm

    init(_ kind: Kind, _ environment: @MainActor (SignInWindow) -> AppEnvironment) {
        self.kind = kind
        let window = SignInWindow()
        let environment = environment(window)
        form = environment.form
        model = SignInModel(window: window, try .provider(kind, in: environment))
    }

    nonisolated var id: String { kind.rawValue }
}
