/// A target of an Xcode project, with the settings of one of its configurations.
struct XcodeTarget: Sendable {
    enum Kind: Sendable { case application, appExtension, other }

    let name: String
    let kind: Kind
    let settings: BuildSettings
    /// The folder that the project's paths are relative to.
    let folder: String
    let projectFile: String
    /// The line on which the target begins.
    let line: Int?
}

/// Reads the targets out of a `project.pbxproj`.
struct XcodeProjectReader {
    private let objects: [String: PropertyList]
    private let root: PropertyList
    private let file: ProjectFiles.File
    private let files: ProjectFiles

    /// - Throws: `PropertyListError` when the file is not a property list.
    init(_ file: ProjectFiles.File, among files: ProjectFiles) throws(PropertyListError) {
        let list = try PropertyList(reading: file.bytes, limits: .projectFile)
        objects = Dictionary((list["objects"]?.members ?? []).map { ($0.key, $0.value) }) { first, _ in first }
        root = list["rootObject"]?.string.flatMap { [objects] in objects[$0] } ?? PropertyList(.dictionary([]))
        self.file = file
        self.files = files
    }

    /// Every target.
    ///
    /// `configuration` is its name; `nil` for the one that an archive is made with.
    func targets(configuration: String?) -> [XcodeTarget] {
        let shared = settings(of: root, configuration: configuration)
        return (root["targets"]?.strings ?? []).compactMap { target in
            guard let object = objects[target.text], let name = object["name"]?.string else { return nil }
            var settings = settings(of: object, configuration: configuration)
            settings.inherit(from: shared)
            let standing = BuildSettings.Setting(value: name, file: file.path, line: object.line)
            if settings["TARGET_NAME"] == nil { settings.set("TARGET_NAME", standing) }
            if settings["PRODUCT_NAME"] == nil { settings.set("PRODUCT_NAME", standing) }
            return XcodeTarget(
                name: name,
                kind: kind(object["productType"]?.string ?? ""),
                settings: settings,
                folder: file.path.folder.folder,
                projectFile: file.path,
                line: object.line
            )
        }
    }

    private func kind(_ productType: String) -> XcodeTarget.Kind {
        switch productType {
        case "com.apple.product-type.application", "com.apple.product-type.application.on-demand-install-capable":
            .application
        case let type where type.contains("app-extension") || type.contains("extensionkit-extension"): .appExtension
        default: .other
        }
    }

    private func settings(of object: PropertyList, configuration: String?) -> BuildSettings {
        var settings = BuildSettings()
        guard let list = object["buildConfigurationList"]?.string.flatMap({ objects[$0] }) else { return settings }
        let all = (list["buildConfigurations"]?.strings ?? []).compactMap { objects[$0.text] }
        func named(_ name: String?) -> PropertyList? {
            name.flatMap { name in all.first { $0["name"]?.string == name } }
        }
        let chosen = named(configuration) ?? named("Release") ?? named(list["defaultConfigurationName"]?.string)
        guard let configuration = chosen ?? all.first else { return settings }
        for member in configuration["buildSettings"]?.members ?? [] {
            let text = member.value.string ?? member.value.strings.map(\.text).joined(separator: " ")
            settings.set(member.key, BuildSettings.Setting(value: text, file: file.path, line: member.line))
        }
        if let base = configuration["baseConfigurationReference"]?.string.flatMap({ objects[$0] })?["path"]?.string,
            let found = files.files.first(where: { $0.path.isSame(as: base) || $0.path.hasSuffix("/" + base) })
        {
            settings.inherit(from: BuildSettings(configuration: found))
        }
        return settings
    }
}
