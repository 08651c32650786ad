import SwiftUI

/// An app with five providers, and a screen for each.
@main
struct ProvidersApp: App {
    @State private var list = ProviderList()

    var body: some Scene {
        WindowGroup { ProvidersView(list: list) }
    }
}
