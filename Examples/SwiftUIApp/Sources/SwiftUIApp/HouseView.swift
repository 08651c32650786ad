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
                SignInButton(door.model, provider: door.kind.name).buttonStyle(.borderedProminent)
                if case .signingIn = door.model.state { Button("Cancel") { door.model.cancelSignIn() } }
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

    var body: some View {
        Form {
            Section("You") {
                Text(verbatim: visitor.name).accessibilityIdentifier("visitor")
                ForEach(visitor.facts, id: \.self) { Text(verbatim: $0) }
                if freshness == .stale { Label("Not up to date", systemImage: "wifi.slash") }
            }
            SignOutButton(door.model)
        }
    }
}
