/// The rules for macOS.
extension Rule {
    static let macOS = [sandboxClient, sandboxServer, macKeychain]

    private static let sandboxClient = Rule(
        "sandbox-client",
        .problem,
        "A sandboxed Mac app without `com.apple.security.network.client`: no request leaves it",
        source: Document.sandbox
    ) { rule, project in
        project.macApps.filter(\.isSandboxed).compactMap { app in
            let key = "com.apple.security.network.client"
            guard !app.allows(key, orSetting: "ENABLE_OUTGOING_NETWORK_CONNECTIONS") else { return nil }
            return rule.finding(
                app.entitlement(key)?.place ?? app.entitlementPlace(for: key),
                "The sandbox refuses every connection, so discovery fails as if there were no network.",
                now: app.entitlement(key).map { _ in "false" },
                fix: "<key>\(key)</key>\n<true/>"
            )
        }
    }

    private static let sandboxServer = Rule(
        "sandbox-server",
        .problem,
        "A loopback redirect URI in a sandboxed Mac app without `com.apple.security.network.server`",
        source: Document.sandbox
    ) { rule, project in
        project.macApps.filter { app in app.isSandboxed && project.redirects(of: app).contains(where: \.isLoopback) }
            .compactMap { app in
                let key = "com.apple.security.network.server"
                guard !app.allows(key, orSetting: "ENABLE_INCOMING_NETWORK_CONNECTIONS") else { return nil }
                return rule.finding(
                    app.entitlement(key)?.place ?? app.entitlementPlace(for: key),
                    "The sandbox does not let the app listen for the redirect.",
                    now: app.entitlement(key).map { _ in "false" },
                    fix: "<key>\(key)</key>\n<true/>"
                )
            }
    }

    private static let macKeychain = Rule(
        "mac-keychain",
        .problem,
        "The data protection keychain on a Mac without an entitlement for it (-34018)",
        source: Document.macKeychains
    ) { rule, project in
        let isAsked = project.codeUses("kSecUseDataProtectionKeychain")
        guard isAsked || project.codeUses("KeychainStore") else { return [] }
        return project.macApps.filter(\.keychainGroups.isEmpty).map { app in
            let key = "keychain-access-groups"
            return rule.finding(
                app.entitlementPlace(for: key),
                isAsked
                    ? "Every call fails with errSecMissingEntitlement, -34018, unless a provisioning profile grants a group."
                    : "Without a group that a provisioning profile grants, sessions are kept in the login keychain.",
                fix:
                    "<key>\(key)</key>\n<array>\n    <string>$(AppIdentifierPrefix)\(app.bundleID ?? "com.example.app")</string>\n</array>",
                severity: isAsked ? .problem : .warning
            )
        }
    }
}

extension Project {
    fileprivate var macApps: [AppTarget] { apps.filter { $0.platforms.contains(.macOS) } }
}
