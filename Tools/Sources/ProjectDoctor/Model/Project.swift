/// A project as it was read, for the rules.
package struct Project: Sendable {
    let context: ProjectContext
    let files: ProjectFiles
    /// Files that should be property lists and are not.
    let unreadable: [(path: String, error: PropertyListError)]
    let lists: [ListFile]
    /// The apps, and the extensions that come with them.
    package let targets: [AppTarget]
    /// The requested targets and all others.
    let everyTarget: [AppTarget]
    /// The app's own Swift files: no tests, no package manifests.
    let sources: [SwiftSource]
    /// Files that an app may take its settings from.
    let configurations: [ConfigurationFile]
    /// The redirect URIs in use.
    package let redirects: [RedirectInUse]
    /// The places where the sources assemble a redirect URI.
    let uncertainRedirects: [Finding.Place]
    package let systems: [KnownSystem]
    /// The hosts of the providers.
    let providerHosts: Set<String>

    /// Reads the files as far as they can be read.
    package init(_ files: ProjectFiles, context: ProjectContext = ProjectContext()) {
        self.files = files
        self.context = context
        (lists, unreadable) = Self.lists(in: files)
        sources = files.files.filter { $0.path.isSourceOfApp }.map { SwiftSource(path: $0.path, bytes: $0.bytes) }
        let projects = files.files.filter { $0.path.fileName == "project.pbxproj" }
        everyTarget = Self.targets(projects, lists, unreadable.map(\.path), files, context)
        targets = everyTarget.filter { context.target == nil || $0.name == context.target }
        configurations = files.files.filter { $0.path.hasSuffix(".json") && !$0.path.isOfTests }.map(
            ConfigurationFile.init
        )
        let found = sources.map(\.redirects)
        let certain = found.flatMap(\.certain) + lists.flatMap(\.redirects) + configurations.flatMap(\.redirects)
        redirects = context.redirectURIs.isEmpty ? certain.uniqued : context.redirectURIs.map { RedirectInUse($0) }
        uncertainRedirects = context.redirectURIs.isEmpty ? found.flatMap(\.uncertain) : []
        let imports = Set(sources.flatMap(\.imports))
        let systems = KnownSystem.all.filter { context.systems.contains($0) || !$0.modules.isDisjoint(with: imports) }
        self.systems = systems
        let issuers = context.issuers.map { RedirectInUse($0).host } + sources.flatMap(\.providers).map(\.url.host)
        providerHosts = Set((systems.flatMap(\.hosts) + issuers).filter { !$0.isEmpty })
    }

    /// The apps of which every property list could be read.
    var apps: [AppTarget] { targets.filter { $0.isApplication && !$0.hasUnreadableList } }

    /// Returns the redirect URIs of one app: those in its own folder, and those in no app's folder.
    func redirects(of target: AppTarget) -> [RedirectInUse] {
        redirects.filter { redirect in
            guard let file = redirect.place.file else { return true }
            return target.isHome(of: file) || !everyTarget.contains { $0.isApplication && $0.isHome(of: file) }
        }
    }

    func uses(_ system: KnownSystem) -> Bool { systems.contains(system) }

    /// The places of a word in the code of the app.
    func places(of word: String) -> [(source: SwiftSource, line: Int)] {
        sources.flatMap { source in source.lines(of: word).map { (source, $0) } }
    }

    func codeUses(_ words: String...) -> Bool { sources.contains { source in words.contains(where: source.uses) } }

    var imports: Set<String> { Set(sources.flatMap(\.imports)) }
}

extension Project {
    private static func lists(
        in files: ProjectFiles
    ) -> (lists: [ListFile], unreadable: [(path: String, error: PropertyListError)]) {
        var lists: [ListFile] = []
        var unreadable: [(path: String, error: PropertyListError)] = []
        for file in files.files where file.path.isListOfInterest {
            do throws(PropertyListError) {
                lists.append(ListFile(path: file.path, root: try PropertyList(reading: file.bytes)))
            } catch {
                if !file.path.isOfTests { unreadable.append((file.path, error)) }
            }
        }
        for file in files.files where file.path.fileName == "project.pbxproj" {
            do throws(PropertyListError) {
                _ = try XcodeProjectReader(file, among: files)
            } catch {
                unreadable.append((file.path, error))
            }
        }
        return (lists, unreadable)
    }

    private static func targets(
        _ projects: [ProjectFiles.File],
        _ lists: [ListFile],
        _ unreadable: [String],
        _ files: ProjectFiles,
        _ context: ProjectContext
    ) -> [AppTarget] {
        let found = projects.flatMap { file in
            (try? XcodeProjectReader(file, among: files))?.targets(configuration: context.configuration) ?? []
        }
        let targets = found.filter { $0.kind != .other }.map {
            AppTarget($0, lists: lists, unreadable: unreadable, context: context)
        }
        return targets.isEmpty ? loose(lists, context) : targets
    }

    /// An app for each Info.plist, with the entitlements that lie nearest to it.
    private static func loose(_ lists: [ListFile], _ context: ProjectContext) -> [AppTarget] {
        let infos = lists.filter { $0.path.isInfoPlist && $0.root.isDictionary && !$0.path.isOfTests }
        let entitlements = lists.filter { $0.path.hasSuffix(".entitlements") }
        guard !infos.isEmpty else {
            return entitlements.map { AppTarget(info: nil, entitlements: $0, context: context) }
        }
        return infos.map { info in
            let near = entitlements.first { $0.path.folder.isSame(as: info.path.folder) }
            let only = infos.count == 1 && entitlements.count == 1 ? entitlements.first : nil
            return AppTarget(info: info, entitlements: near ?? only, context: context)
        }
    }
}

extension AppTarget {
    /// Whether a file lies where the target's Info.plist or its entitlements lie.
    fileprivate func isHome(of path: String) -> Bool {
        [info, entitlements].compactMap { $0?.path.folder }.contains { !$0.isEmpty && path.hasPrefix($0 + "/") }
    }
}

extension String {
    fileprivate var isListOfInterest: Bool {
        hasSuffix(".entitlements") || hasSuffix(".xcprivacy") || hasSuffix(".plist")
    }

    /// Whether it is named as an app's Info.plist is.
    fileprivate var isInfoPlist: Bool {
        let name = fileName
        return (name == "Info.plist" || name.hasSuffix("-Info.plist")) && name != "GoogleService-Info.plist"
    }

    fileprivate var isSourceOfApp: Bool { hasSuffix(".swift") && fileName != "Package.swift" && !isOfTests }

    /// Whether it lies in a folder of tests.
    var isOfTests: Bool {
        split(separator: "/").dropLast().contains { $0.hasSuffix("Tests") || $0.hasSuffix("Test") || $0 == "Testing" }
    }
}

extension [RedirectInUse] {
    /// Each URI once a file, where it is first found in it.
    fileprivate var uniqued: [RedirectInUse] {
        var seen: Set<Finding.Place> = []
        return filter { seen.insert(Finding.Place(file: $0.place.file, key: $0.text)).inserted }
    }
}

extension SwiftSource {
    /// The URLs of providers that the code names as such.
    var providers: [(url: RedirectInUse, place: Finding.Place)] {
        // Logto calls its own URL `endpoint`; elsewhere the name says nothing.
        urls(named: KnownSystem.logto.modules.isDisjoint(with: imports) ? [] : ["endpoint"])
    }

    /// Those, and the addresses of a publisher's own site, which Zephr stands behind.
    var providersAndSites: [(url: RedirectInUse, place: Finding.Place)] {
        KnownSystem.zephr.modules.isDisjoint(with: imports)
            ? providers : urls(named: ["baseurl", "base", "site", "siteurl", "endpoint"])
    }

    private func urls(named more: Set<String>) -> [(url: RedirectInUse, place: Finding.Place)] {
        let names: Set<String> = [
            "issuer", "issueruri", "issuerurl", "authorizationendpoint", "tokenendpoint", "authorizationurl",
            "tokenurl",
        ]
        return literals.compactMap { literal in
            guard !literal.isInterpolated, literal.text.lowercased().hasPrefix("http"),
                let name = name(of: literal), case let plain = name.lowercased().filter({ $0 != "_" }),
                names.contains(plain) || more.contains(plain)
            else { return nil }
            let place = Finding.Place(file: path, line: literal.line, key: name)
            return (RedirectInUse(literal.text, at: place), place)
        }
    }
}
