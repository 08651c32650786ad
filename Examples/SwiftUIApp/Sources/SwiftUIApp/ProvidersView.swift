import OstiarySwiftUI
import SwiftUI

/// The list of providers.
struct ProvidersView: View {
    let list: ProviderList

    var body: some View {
        NavigationStack {
            List {
                ForEach(list.providers) { provider in
                    NavigationLink(provider.kind.name) { ProviderView(provider: provider) }
                }
            }
            .navigationTitle("Five providers")
        }
    }
}

/// The sign-in at a provider, or the account of the signed-in user.
struct ProviderView: View {
    let provider: SignInProvider

    var body: some View {
        VStack {
            switch provider.model.state {
            case .restoring, .signingOut: ProgressView()
            case .locked: Label("Unlock this device", systemImage: "lock")
            case .signedIn(let account, let freshness):
                AccountView(account: account, freshness: freshness, provider: provider)
            case .signedOut, .signingIn, .failed:
                if let waiting = provider.form.waiting {
                    RegistrationView(form: provider.form, waiting: waiting)
                } else {
                    SignInButton(provider.model, provider: provider.kind.name).buttonStyle(.borderedProminent)
                }
                if case .signingIn = provider.model.state { Button("Cancel") { provider.model.cancelSignIn() } }
                // For a developer, and without a secret: at Curity the four fields of the error.
                if case .failed(let failure) = provider.model.state {
                    Text(verbatim: failure.details).font(.footnote).accessibilityIdentifier("details")
                }
            }
        }
        .navigationTitle(provider.kind.name)
        .signIn(provider.model)
    }
}

/// The signed-in user, and the way to sign out.
private struct AccountView: View {
    let account: UserAccount
    let freshness: SignInState<UserAccount>.Freshness
    let provider: SignInProvider
    /// The result of the last renewal.
    @State private var renewed: [String]?
    /// The reason that the last renewal failed, for a developer.
    @State private var problem: String?

    var body: some View {
        Form {
            Section("You") {
                Text(verbatim: account.name).accessibilityIdentifier("account")
                ForEach(renewed ?? account.facts, id: \.self) { Text(verbatim: $0) }
                if freshness == .stale { Label("Not up to date", systemImage: "wifi.slash") }
            }
            if let renew = account.renew {
                Button("Refresh") { Task { await perform(renew) } }
                if let problem { Text(verbatim: problem).font(.footnote).accessibilityIdentifier("details") }
            }
            SignOutButton(provider.model)
        }
    }

    private func perform(_ renew: @Sendable () async throws -> [String]) async {
        do {
            renewed = try await renew()
            problem = nil
        } catch {
            problem = SignInFailure(error, .restore).details
        }
    }
}
