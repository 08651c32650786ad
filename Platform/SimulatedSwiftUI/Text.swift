import Foundation

/// Words (documentation/swiftui/text).
public struct Text: Equatable, Sendable {
    enum Content: Equatable {
        case verbatim(String)
        case localized(LocalizedStringKey, table: String?, bundle: Bundle?)
    }
    nonisolated(unsafe) let content: Content

    nonisolated public init(verbatim content: String) { self.content = .verbatim(content) }

    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ content: S) {
        self.content = .verbatim(String(content))
    }

    nonisolated public init(
        _ key: LocalizedStringKey,
        tableName: String? = nil,
        bundle: Bundle? = nil,
        comment: StaticString? = nil
    ) {
        content = .localized(key, table: tableName, bundle: bundle)
    }

    /// The words as they stand in a language.
    func words(in environment: EnvironmentValues) -> String {
        switch content {
        case .verbatim(let words): words
        case .localized(let key, let table, let bundle):
            key.resolved(in: environment.locale, table: table, bundle: bundle ?? .main)
        }
    }
}

extension Text: View, SimulatedPrimitive {
    public var body: Never { bodyOfPrimitive() }
    func elements(in scope: SimulatedScope) -> [SimulatedElement] {
        [SimulatedElement(.text, words(in: scope.environment), in: scope)]
    }
}

/// A picture (documentation/swiftui/image).
public struct Image: View, SimulatedPrimitive, Equatable, Sendable {
    let name: String
    let isDecorative: Bool

    nonisolated public init(systemName: String) {
        name = systemName
        isDecorative = false
    }

    nonisolated public init(_ name: String, bundle: Bundle? = nil) {
        self.name = name
        isDecorative = false
    }

    nonisolated public init(decorative name: String, bundle: Bundle? = nil) {
        self.name = name
        isDecorative = true
    }

    public var body: Never { bodyOfPrimitive() }
    func elements(in scope: SimulatedScope) -> [SimulatedElement] {
        var element = SimulatedElement(.image, in: scope)
        element.looks = [name]
        element.accessibility.isHidden = isDecorative
        element.accessibility.traits = .isImage
        return [element]
    }
}

/// Words beside a picture (documentation/swiftui/label).
public struct Label<Title, Icon> {
    let title: Title
    let icon: Icon
}

extension Label: View, SimulatedPrimitive where Title: View, Icon: View {
    nonisolated public init(@ViewBuilder title: () -> Title, @ViewBuilder icon: () -> Icon) {
        self.init(title: title(), icon: icon())
    }

    public var body: Never { bodyOfPrimitive() }
    func elements(in scope: SimulatedScope) -> [SimulatedElement] {
        // The picture of a label says nothing that its words do not.
        let pictures = scope.child("icon").elements(of: icon).map { element in
            var element = element
            element.accessibility.isHidden = true
            return element
        }
        return pictures + scope.child("title").elements(of: title)
    }
}

extension Label where Title == Text, Icon == Image {
    nonisolated public init(_ titleKey: LocalizedStringKey, systemImage name: String) {
        self.init(title: Text(titleKey), icon: Image(systemName: name))
    }

    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S, systemImage name: String) {
        self.init(title: Text(title), icon: Image(systemName: name))
    }
}

/// Something is under way (documentation/swiftui/progressview).
public struct ProgressView<Label, CurrentValueLabel> {
    let label: Label
}

extension ProgressView: View, SimulatedPrimitive where Label: View, CurrentValueLabel: View {
    public var body: Never { bodyOfPrimitive() }
    func elements(in scope: SimulatedScope) -> [SimulatedElement] {
        [SimulatedElement(.progress, in: scope, children: scope.elements(of: label))]
    }
}

extension ProgressView where CurrentValueLabel == EmptyView {
    nonisolated public init() where Label == EmptyView { self.init(label: EmptyView()) }
    nonisolated public init(@ViewBuilder label: () -> Label) where Label: View { self.init(label: label()) }
    nonisolated public init(_ titleKey: LocalizedStringKey) where Label == Text { self.init(label: Text(titleKey)) }
    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S) where Label == Text {
        self.init(label: Text(title))
    }
}
