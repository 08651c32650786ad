import LogiAuth
import UIKit

final class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(_ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]) -> Bool {
        LogiAuth.handle(url)
    }

    func configure() {
        LogiAuth.configure(
            LogiAuthConfig(
                clientId: "logi_app",
                redirectURI: URL(string: "my_app://oauth/callback").unsafelyUnwrapped,
                scopes: ["openid"]
            )
        )
    }
}
