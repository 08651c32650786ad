import SwiftUI

/// An app with nothing in it: the tests of the keychain run in its process, because the system looks at its signature.
@main
struct KeychainHostApp: App {
    var body: some Scene {
        WindowGroup { Text(verbatim: "Keychain") }
    }
}
