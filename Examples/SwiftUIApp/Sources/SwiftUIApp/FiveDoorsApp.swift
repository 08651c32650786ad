import SwiftUI

/// Five doors into one app: one screen for each system that people sign in at.
@main
struct FiveDoorsApp: App {
    @State private var house = House()

    var body: some Scene {
        WindowGroup { HouseView(house: house) }
    }
}
