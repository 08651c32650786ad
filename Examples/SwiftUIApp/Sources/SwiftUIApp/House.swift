import Observation
import OstiarySwiftUI

/// The doors of the app, made once and outside the views.
@MainActor @Observable
final class House {
    let doors: [Door]

    init(_ surroundings: @MainActor (SignInWindow) -> Surroundings = { Surroundings(window: $0) }) {
        doors = Door.Kind.allCases.map { Door($0, surroundings) }
    }
}

/// One door: a system, and who is signed in there.
@MainActor
final class Door: Identifiable {
    enum Kind: String, CaseIterable {
        case logi, logto, curity, ssafy, zephr

        /// As the person knows it.
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
    let model: SignInModel<Visitor>
    let form: RegistrationForm

    init(_ kind: Kind, _ surroundings: @MainActor (SignInWindow) -> Surroundings) {
        self.kind = kind
        let window = SignInWindow()
        let surroundings = surroundings(window)
        form = surroundings.form
        model = SignInModel(window: window, try .door(kind, in: surroundings))
    }

    nonisolated var id: String { kind.rawValue }
}
