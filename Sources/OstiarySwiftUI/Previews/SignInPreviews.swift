#if canImport(SwiftUI) && DEBUG
    import Foundation
    import Ostiary
    import SwiftUI

    /// The button and the alert, in each of their states.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    struct SignInPreviews: PreviewProvider {
        static var previews: some View {
            PreviewScreen(.succeeding())
            PreviewScreen(.waiting)
            PreviewScreen(.failing(SignInError(.token, .transport(.unreachable))))
            PreviewScreen(.succeeding()).environment(\.locale, Locale(identifier: "ko"))
            PreviewScreen(.succeeding()).environment(\.dynamicTypeSize, .accessibility3)
        }
    }

    /// The sign-in button, or the account that is signed in.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    private struct PreviewScreen: View {
        @State private var model: SignInModel<PreviewAccount>

        init(_ script: SignInSource<PreviewAccount>.Script) {
            _model = State(initialValue: SignInModel(.preview(script)))
        }

        var body: some View {
            VStack {
                if let account = model.state.account {
                    Text(verbatim: account.name)
                    SignOutButton(model)
                } else {
                    SignInButton(model, provider: "Example").buttonStyle(.borderedProminent)
                }
            }
            .signIn(model)
        }
    }
#endif
