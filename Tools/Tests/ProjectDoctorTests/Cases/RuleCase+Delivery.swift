import ProjectDoctor

extension RuleCase {
    private static let delegate = """
        import UIKit
        final class AppDelegate: UIResponder, UIApplicationDelegate {
            func application(_ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]) -> Bool {
                SignIn.redirects.handle(url)
            }
            func application(
                _ application: UIApplication,
                continue activity: NSUserActivity,
                restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
            ) -> Bool { true }
        }
        """
    private static let handling = ".onOpenURL { url in _ = SignIn.redirects.handle(url) }"

    static let delivery = [
        RuleCase(
            "scene-open-url",
            "Reader/AppDelegate.swift",
            on: "open url: URL",
            key: "application(_:open:options:)",
            fix: "openURLContexts"
        ) {
            try $0.replace(Sample.app, handling, "")
            $0.put("Reader/AppDelegate.swift", delegate)
        },
        RuleCase(
            "scene-user-activity",
            "Reader/AppDelegate.swift",
            on: "func application(",
            key: "application(_:continue:restorationHandler:)",
            fix: "func scene"
        ) {
            try $0.replace(Sample.app, handling, "")
            $0.put("Reader/AppDelegate.swift", delegate.replacing("func application(_ app", with: "func other(_ app"))
        },
        RuleCase("open-url-missing", Sample.app, on: "WindowGroup {", key: "onOpenURL", fix: "LogiAuth.handle(url)") {
            $0.context.systems = [.logi]
            try $0.replace(Sample.app, handling, "")
        },
    ]
}
