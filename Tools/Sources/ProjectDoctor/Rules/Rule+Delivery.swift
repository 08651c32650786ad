/// The rules for passing an opened URL to the code.
extension Rule {
    static let delivery = [sceneOpenURL, sceneUserActivity, openURLMissing]

    private static let sceneOpenURL = Rule(
        "scene-open-url",
        .problem,
        "An app with scenes expects URLs in its app delegate, where they never arrive",
        source: Document.scenes
    ) { rule, project in
        guard project.hasScenes, !project.takesURLs else { return [] }
        return project.delegateMethods("application", "open", "options").map { source, line in
            rule.finding(
                Finding.Place(file: source.path, line: line, key: "application(_:open:options:)"),
                "With scenes the system gives a URL to the scene's delegate only, so the redirect is lost.",
                fix: """
                    func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) {
                        for context in contexts { _ = \(project.handling)(context.url) }
                    }
                    """
            )
        }
    }

    private static let sceneUserActivity = Rule(
        "scene-user-activity",
        .problem,
        "An app with scenes expects universal links in its app delegate, where they never arrive",
        source: "Apple, UISceneDelegate scene(_:continue:)"
    ) { rule, project in
        guard project.hasScenes, project.redirects.contains(where: \.isHTTPS),
            !project.codeUses("onOpenURL", "onContinueUserActivity"),
            project.delegateMethods("scene", "continue", nil).isEmpty
        else { return [] }
        return project.delegateMethods("application", "continue", "restorationHandler").map { source, line in
            rule.finding(
                Finding.Place(file: source.path, line: line, key: "application(_:continue:restorationHandler:)"),
                "With scenes the system gives a universal link to the scene's delegate only, so the redirect is lost.",
                fix: """
                    func scene(_ scene: UIScene, continue activity: NSUserActivity) {
                        if let url = activity.webpageURL { _ = \(project.handling)(url) }
                    }
                    """
            )
        }
    }

    private static let openURLMissing = Rule(
        "open-url-missing",
        .problem,
        "The provider's app returns by opening a URL, and no code receives it",
        source: "logi, iOS (Swift): SwiftUI .onOpenURL"
    ) { rule, project in
        guard project.systems.contains(where: \.returnsThroughApp) || project.codeUses("AppHandoff"),
            !project.takesURLs,
            project.delegateMethods("application", "open", "options").isEmpty,
            let entry = project.entry
        else { return [] }
        return [
            rule.finding(
                Finding.Place(file: entry.source.path, line: entry.line, key: "onOpenURL"),
                "The sign-in waits for a URL that the app does not pass on, and ends with its deadline.",
                fix: ".onOpenURL { url in _ = \(project.handling)(url) }"
            )
        ]
    }
}

extension Project {
    /// The call that handles a URL.
    fileprivate var handling: String { uses(.logi) ? "LogiAuth.handle" : "redirects.handle" }

    /// Whether the app has scenes with a delegate: in the Info.plist or in the code.
    fileprivate var hasScenes: Bool {
        apps.contains {
            $0.info("UIApplicationSceneManifest")?.value.isDictionary ?? false
                || $0.settings.isYes("INFOPLIST_KEY_UIApplicationSceneManifest_Generation")
        } || codeUses("UIWindowSceneDelegate", "WindowGroup")
    }

    /// The methods `name(_:label:last:)` that the code declares.
    fileprivate func delegateMethods(
        _ name: String,
        _ label: String,
        _ last: String?
    ) -> [(source: SwiftSource, line: Int)] {
        sources.flatMap { source in
            source.lines(of: name).filter { line in
                // A declaration may go over a few lines.
                let first = source.codeLine(line)
                guard first.contains("func \(name)(") else { return false }
                let head = (line..<(line + 6)).compactMap(source.codeLineIfAny).joined()
                let signature = head.drop { $0 != "(" }.prefix { $0 != "{" }
                return signature.hasWord(label) && (last.map { signature.hasWord($0) } ?? true)
            }.map { (source, $0) }
        }
    }

    /// The entry point of the app.
    fileprivate var entry: (source: SwiftSource, line: Int)? {
        places(of: "WindowGroup").first ?? places(of: "UIApplicationDelegate").first ?? places(of: "main").first
    }
}

extension SwiftSource {
    func codeLineIfAny(_ line: Int) -> String? { line >= 1 && line <= lineCount ? codeLine(line) : nil }
}

extension StringProtocol {
    /// Whether a word of code stands in it.
    func hasWord(_ word: String) -> Bool {
        split { !$0.isLetter && !$0.isNumber && $0 != "_" }.contains { $0 == word }
    }
}
