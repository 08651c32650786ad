/// The rules for secrets that every copy of the app contains.
///
/// A finding names the place, never the secret.
extension Rule {
    static let secrets = [secretInList, secretInFile, secretInSource, secretInSetting, tokenLogged]

    private static let explanation =
        "Anyone who has the app has it: a client in an app is public, and has no secret. Remove it, and make a new "
        + "one at the provider if it was shipped."
    private static let redacted = "[redacted]"

    private static let secretInList = Rule(
        "secret-in-list",
        .problem,
        "A client secret is in a property list of the app",
        source: Document.publicClient
    ) { rule, project in
        project.lists.filter { !$0.path.isOfTests }.flatMap { list in
            list.root.secrets(at: "").map { key, line in
                rule.finding(
                    Finding.Place(file: list.path, line: line, key: key),
                    explanation,
                    now: redacted,
                    fix: "Remove the line."
                )
            }
        }
    }

    private static let secretInFile = Rule(
        "secret-in-file",
        .problem,
        "A client secret is in a JSON file that may hold an app's settings",
        source: Document.publicClient
    ) { rule, project in
        project.configurations.flatMap { file in
            file.members.filter { $0.name.namesClientSecret && $0.value.isLikeSecret }.map { member in
                rule.finding(
                    Finding.Place(file: file.path, line: member.line, key: member.path),
                    explanation,
                    now: redacted,
                    fix: "Remove the line."
                )
            }
        }
    }

    private static let secretInSource = Rule(
        "secret-in-source",
        .problem,
        "A client secret is in a source file",
        source: Document.publicClient
    ) { rule, project in
        project.sources.flatMap { source in
            source.literals.filter { !$0.isInterpolated && $0.text.isLikeSecret }.compactMap { literal in
                let name = source.name(of: literal)
                // Google's client secrets have a form of their own.
                guard name?.namesClientSecret ?? false || literal.text.hasPrefix("GOCSPX-") else { return nil }
                return rule.finding(
                    Finding.Place(file: source.path, line: literal.line, key: name),
                    explanation,
                    now: redacted,
                    fix: "Remove the line."
                )
            }
        }
    }

    private static let secretInSetting = Rule(
        "secret-in-setting",
        .problem,
        "A client secret is in a build setting or an `.xcconfig` file",
        source: Document.publicClient
    ) { rule, project in
        let files = project.files.files.filter { $0.path.hasSuffix(".xcconfig") }.map {
            BuildSettings(configuration: $0)
        }
        return (files + project.targets.map(\.settings)).flatMap { settings in
            settings.names(withPrefix: "").filter(\.namesClientSecret).compactMap { name in
                guard let setting = settings[name], setting.value.isLikeSecret else { return nil }
                return rule.finding(
                    Finding.Place(file: setting.file, line: setting.line, key: name),
                    explanation,
                    now: redacted,
                    fix: "Remove the line."
                )
            }
        }
    }

    private static let tokenLogged = Rule(
        "token-logged",
        .warning,
        "A token, a code or a callback URL is written to the log",
        source: "RFC 6819 section 5.1.6; OWASP MASVS-STORAGE-2"
    ) { rule, project in
        let words: Set<String> = [
            "accessToken", "refreshToken", "idToken", "callbackURL", "callbackUrl", "clientSecret", "codeVerifier",
            "sessionId", "access_token", "refresh_token", "id_token",
        ]
        return project.sources.flatMap { source in
            ["print", "NSLog", "debugPrint", "dump", "os_log"].flatMap { source.lines(of: $0) }.sorted().filter {
                line in
                let code = source.codeLine(line)
                let logged = code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
                return ["print(", "NSLog(", "debugPrint(", "dump(", "os_log("].contains(where: code.contains)
                    && logged.contains(where: words.contains)
            }.map { line in
                rule.finding(
                    Finding.Place(file: source.path, line: line),
                    "Anyone who reads the log has the session.",
                    fix: "Remove the line."
                )
            }
        }
    }
}

extension PropertyList {
    /// The key paths of members that are named and look like a client secret.
    fileprivate func secrets(at path: String) -> [(key: String, line: Int?)] {
        switch content {
        case .dictionary(let members):
            members.flatMap { member in
                let path = path.isEmpty ? member.key : path + "." + member.key
                let isSecret = member.key.namesClientSecret && member.value.string?.isLikeSecret ?? false
                return isSecret ? [(path, member.value.line ?? member.line)] : member.value.secrets(at: path)
            }
        case .array(let elements):
            elements.enumerated().flatMap { index, element in element.secrets(at: path + "[\(index)]") }
        default: []
        }
    }
}

extension String {
    /// Whether something is called a client secret.
    fileprivate var namesClientSecret: Bool {
        let name = lowercased().filter(\.isLetter)
        return ["clientsecret", "consumersecret", "oauthsecret", "appsecret"].contains(where: name.hasSuffix)
    }

    /// Whether it has a value: not empty, not a setting, not a name of one.
    fileprivate var isLikeSecret: Bool {
        let text = trimmed
        return text.count >= 8 && !text.contains("$(") && !text.contains("${") && !text.contains(" ")
            && !["client_secret", "clientsecret"].contains(text.lowercased())
            && !["client_secret_basic", "client_secret_post", "client_secret_jwt"].contains(text.lowercased())
    }
}
