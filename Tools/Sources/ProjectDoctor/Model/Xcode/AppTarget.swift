/// A property list file of the project.
struct ListFile: Sendable {
    let path: String
    let root: PropertyList
}

/// A value and where it stands.
struct Located: Sendable {
    let value: PropertyList
    let place: Finding.Place
}

/// A platform of Apple's.
enum Platform: String, Sendable, CaseIterable {
    case iOS, macOS, tvOS, watchOS, visionOS

    /// The build setting with the least version that an app runs on.
    var deploymentSetting: String {
        switch self {
        case .iOS: "IPHONEOS_DEPLOYMENT_TARGET"
        case .macOS: "MACOSX_DEPLOYMENT_TARGET"
        case .tvOS: "TVOS_DEPLOYMENT_TARGET"
        case .watchOS: "WATCHOS_DEPLOYMENT_TARGET"
        case .visionOS: "XROS_DEPLOYMENT_TARGET"
        }
    }

    /// The platform's name in `SDKROOT` and `SUPPORTED_PLATFORMS`.
    fileprivate var sdk: String {
        switch self {
        case .iOS: "iphoneos"
        case .macOS: "macosx"
        case .tvOS: "appletvos"
        case .watchOS: "watchos"
        case .visionOS: "xros"
        }
    }
}

/// An app or an extension of one, with its Info.plist and its entitlements.
package struct AppTarget: Sendable {
    let name: String
    let kind: XcodeTarget.Kind
    let platforms: Set<Platform>
    let settings: BuildSettings
    /// The project file and the line of the target; empty where there is no Xcode project.
    let projectPlace: Finding.Place
    let info: ListFile?
    let entitlements: ListFile?
    /// The setting that names a file that is not there.
    let lost: [BuildSettings.Setting]
    /// Whether its Info.plist or its entitlements cannot be read, so that nothing is known to be missing in them.
    let hasUnreadableList: Bool
    let team: String?
    let bundleID: String?

    /// The name that an association file knows the app by.
    var appID: String? { team.flatMap { team in bundleID.map { team + "." + $0 } } }
    var isApplication: Bool { kind == .application }
}

extension AppTarget {
    /// A member of the Info.plist, from the file or from the build setting that becomes one.
    func info(_ key: String) -> Located? {
        if let info, let member = info.root.member(key) {
            return Located(
                value: member.value,
                place: Finding.Place(file: info.path, line: member.line, key: key)
            )
        }
        guard let setting = settings["INFOPLIST_KEY_" + key] else { return nil }
        return Located(
            value: PropertyList(.string(settings.value(of: setting.value)), line: setting.line),
            place: Finding.Place(file: setting.file, line: setting.line, key: "INFOPLIST_KEY_" + key)
        )
    }

    /// An entitlement.
    func entitlement(_ key: String) -> Located? {
        guard let entitlements, let member = entitlements.root.member(key) else { return nil }
        return Located(
            value: member.value,
            place: Finding.Place(file: entitlements.path, line: member.line, key: key)
        )
    }

    /// The place for a member that the Info.plist lacks.
    func infoPlace(for key: String) -> Finding.Place {
        if let info { return Finding.Place(file: info.path, line: info.root.line, key: key) }
        return Finding.Place(file: projectPlace.file, line: projectPlace.line, key: key)
    }

    /// The place for a missing entitlement.
    func entitlementPlace(for key: String) -> Finding.Place {
        if let entitlements { return Finding.Place(file: entitlements.path, line: entitlements.root.line, key: key) }
        return Finding.Place(file: projectPlace.file, line: projectPlace.line, key: key)
    }

    /// The strings of an entitlement or of a member, with their places and build settings put in.
    func strings(of located: Located?) -> [(text: String, place: Finding.Place)] {
        guard let located else { return [] }
        return located.value.strings.enumerated().map { index, element in
            var place = located.place
            place.line = element.line ?? place.line
            place.key = (place.key ?? "") + "[\(index)]"
            return (settings.value(of: element.text), place)
        }
    }

    /// The schemes of `CFBundleURLTypes`.
    var registeredSchemes: [(text: String, place: Finding.Place)] {
        guard let types = info("CFBundleURLTypes") else { return [] }
        return (types.value.elements ?? []).enumerated().flatMap { index, type in
            guard let member = type.member("CFBundleURLSchemes") else {
                return [(text: String, place: Finding.Place)]()
            }
            return strings(
                of: Located(
                    value: member.value,
                    place: Finding.Place(
                        file: types.place.file,
                        line: member.line,
                        key: "CFBundleURLTypes[\(index)].CFBundleURLSchemes"
                    )
                )
            )
        }
    }

    var associatedDomains: [AssociatedDomain] {
        strings(of: entitlement(AssociatedDomain.entitlement)).map { AssociatedDomain($0.text, at: $0.place) }
    }

    var queriedSchemes: [(text: String, place: Finding.Place)] { strings(of: info("LSApplicationQueriesSchemes")) }

    /// The access groups of its keychain, and the app groups, which are some as well.
    var keychainGroups: [(text: String, place: Finding.Place)] {
        strings(of: entitlement("keychain-access-groups")) + appGroups
    }

    var appGroups: [(text: String, place: Finding.Place)] {
        strings(of: entitlement("com.apple.security.application-groups"))
    }

    var isSandboxed: Bool {
        entitlement("com.apple.security.app-sandbox")?.value.isTrue ?? settings.isYes("ENABLE_APP_SANDBOX")
    }

    /// Whether an entitlement is on, in the file or by the build setting that stands for it.
    func allows(_ entitlement: String, orSetting setting: String) -> Bool {
        self.entitlement(entitlement)?.value.isTrue ?? settings.isYes(setting)
    }
}

extension AppTarget {
    /// Takes a target of an Xcode project.
    init(_ target: XcodeTarget, lists: [ListFile], unreadable: [String], context: ProjectContext) {
        var lost: [BuildSettings.Setting] = []
        var hasUnreadableList = false
        func list(_ setting: String) -> ListFile? {
            guard let named = target.settings[setting], !named.value.isEmpty else { return nil }
            var path = target.settings.value(of: named.value)
            for variable in ["SRCROOT", "PROJECT_DIR", "SOURCE_ROOT"] where path.hasPrefix("$(\(variable))/") {
                path = String(path.dropFirst(variable.count + 4))
            }
            // A path with an unknown setting cannot be reported as missing.
            guard !path.contains("$"), let place = path.below(target.folder).normalizedPath else { return nil }
            let found = lists.first { $0.path.isSame(as: place) }
            if unreadable.contains(where: { $0.isSame(as: place) }) {
                hasUnreadableList = true
            } else if found == nil {
                lost.append(named)
            }
            return found
        }
        name = target.name
        kind = target.kind
        settings = target.settings
        projectPlace = Finding.Place(file: target.projectFile, line: target.line)
        let info = list("INFOPLIST_FILE")
        let entitlements = list("CODE_SIGN_ENTITLEMENTS")
        self.info = info
        self.entitlements = entitlements
        self.lost = lost
        self.hasUnreadableList = hasUnreadableList
        platforms = Platform.of(target.settings, info, entitlements)
        (team, bundleID) = Self.identity(target.settings, info, entitlements, context)
    }

    /// Takes an Info.plist and the entitlements next to it, where there is no Xcode project.
    init(info: ListFile?, entitlements: ListFile?, context: ProjectContext) {
        let settings = BuildSettings()
        let folder = info?.path.folder.fileName ?? ""
        name = folder.isEmpty ? "app" : folder
        kind = info?.root["NSExtension"] == nil ? .application : .appExtension
        self.settings = settings
        projectPlace = Finding.Place(file: info?.path ?? entitlements?.path)
        self.info = info
        self.entitlements = entitlements
        lost = []
        hasUnreadableList = false
        platforms = Platform.of(settings, info, entitlements)
        (team, bundleID) = Self.identity(settings, info, entitlements, context)
    }

    private static func identity(
        _ settings: BuildSettings,
        _ info: ListFile?,
        _ entitlements: ListFile?,
        _ context: ProjectContext
    ) -> (team: String?, bundleID: String?) {
        func known(_ text: String?) -> String? {
            text.map { settings.value(of: $0) }.flatMap { $0.isEmpty || $0.contains("$") ? nil : $0 }
        }
        let identifier = known(entitlements?.root["application-identifier"]?.string)
        let team =
            context.team ?? known(settings["DEVELOPMENT_TEAM"]?.value)
            ?? known(entitlements?.root["com.apple.developer.team-identifier"]?.string)
            ?? identifier.map { String($0.prefix { $0 != "." }) }
        let bundleID =
            context.bundleID ?? known(settings["PRODUCT_BUNDLE_IDENTIFIER"]?.value)
            ?? known(info?.root["CFBundleIdentifier"]?.string)
            ?? identifier.map { String($0.drop { $0 != "." }.dropFirst()) }
        return (team, bundleID)
    }
}

extension Platform {
    fileprivate static func of(
        _ settings: BuildSettings,
        _ info: ListFile?,
        _ entitlements: ListFile?
    ) -> Set<Platform> {
        let names = [settings.value(named: "SUPPORTED_PLATFORMS"), settings.value(named: "SDKROOT")].compactMap(\.self)
            .joined(separator: " ").lowercased()
        var platforms = Set(allCases.filter { names.contains($0.sdk) })
        if settings.isYes("SUPPORTS_MACCATALYST") { platforms.insert(.iOS) }
        guard platforms.isEmpty else { return platforms }
        if info?.root["LSRequiresIPhoneOS"] != nil { return [.iOS] }
        let isMac =
            info?.root["LSMinimumSystemVersion"] != nil || info?.root["NSPrincipalClass"]?.string == "NSApplication"
            || entitlements?.root["com.apple.security.app-sandbox"] != nil
        return isMac ? [.macOS] : [.iOS]
    }
}
