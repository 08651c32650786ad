import OstiarySwiftUI
import SwiftUI

/// The list of doors.
struct HouseView: View {
    let house: House

    var body: some View {
        NavigationStack {
            List {
                ForEach(house.doors) { door in
                    NavigationLink(door.kind.name) { DoorView(door: door) }
                }
            }
            .navigationTitle("Five doors")
        }
    }
}

/// One door, or the room behind it.
struct DoorView: View {
    let door: Door

    var body: some View {
        VStack {
            switch door.model.state {
            case .restoring, .signingOut: ProgressView()
            case .locked: Label("Unlock this device", systemImage: "lock")
            case .signedIn(let visitor, let freshness): Room(visitor: visitor, freshness: freshness, door: door)
            case .signedOut, .signingIn, .failed:
                if let waiting = door.form.waiting {
                    RegistrationView(form: door.form, waiting: waiting)
                } else {
                    SignInButton(door.model, provider: door.kind.name).buttonStyle(.borderedProminent)
                }
                if case .signingIn = door.model.state { Button("Cancel") { door.model.cancelSignIn() } }
                // For a developer, and without a secret: at Curity the four fields of the error.
                if case .failed(let failure) = door.model.state {
                    Text(verbatim: failure.details).font(.footnote).accessibilityIdentifier("details")
                }
            }
        }
        .navigationTitle(door.kind.name)
        .signIn(door.model)
    }
}

/// Who came in, and the way out.
private struct Room: View {
    let visitor: Visitor
    let freshness: SignInState<Visitor>.Freshness
    let door: Door
    /// The result of the last renewal.
    @State private var renewed: [String]?
    /// Why the last renewal failed, for a developer.
    @State private var problem: String?

    var body: some View {
        Form {
            Section("You") {
                Text(verbatim: visitor.name).accessibilityIdentifier("visitor")
                ForEach(renewed ?? visitor.facts, id: \.self) { Text(verbatim: $0) }
                if freshness == .stale { Label("Not up to date", systemImage: "wifi.slash") }
            }
            if let renew = visitor.renew {
                Button("Refresh") { Task { await perform(renew) } }
                if let problem { Text(verbatim: problem).font(.footnote).accessibilityIdentifier("details") }
            }
            SignOutButton(door.model)
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
