import Ostiary
import SwiftUI

@main
struct ReaderApp: App {
    @AppStorage("lastBook") private var lastBook = ""

    var body: some Scene {
        WindowGroup {
            Library()
                .onOpenURL { url in _ = SignIn.redirects.handle(url) }
        }
    }
}
