/// The traits of an element for VoiceOver (documentation/swiftui/accessibilitytraits).
public struct AccessibilityTraits: SetAlgebra, Sendable, Hashable {
    private var names: Set<String> = []

    public init() {}
    private init(_ name: String) { names = [name] }

    public static let isButton = AccessibilityTraits("isButton")
    public static let isHeader = AccessibilityTraits("isHeader")
    public static let isImage = AccessibilityTraits("isImage")
    public static let isSelected = AccessibilityTraits("isSelected")
    public static let isStaticText = AccessibilityTraits("isStaticText")
    public static let updatesFrequently = AccessibilityTraits("updatesFrequently")
    public static let isModal = AccessibilityTraits("isModal")

    public typealias Element = AccessibilityTraits
    public func contains(_ member: Self) -> Bool { names.isSuperset(of: member.names) }
    public func union(_ other: Self) -> Self { with(names.union(other.names)) }
    public func intersection(_ other: Self) -> Self { with(names.intersection(other.names)) }
    public func symmetricDifference(_ other: Self) -> Self { with(names.symmetricDifference(other.names)) }
    @discardableResult
    public mutating func insert(_ member: Self) -> (inserted: Bool, memberAfterInsert: Self) {
        let isNew = !contains(member)
        names.formUnion(member.names)
        return (isNew, member)
    }
    @discardableResult
    public mutating func remove(_ member: Self) -> Self? {
        guard contains(member) else { return nil }
        names.subtract(member.names)
        return member
    }
    @discardableResult
    public mutating func update(with member: Self) -> Self? {
        defer { names.formUnion(member.names) }
        return contains(member) ? member : nil
    }
    public mutating func formUnion(_ other: Self) { names.formUnion(other.names) }
    public mutating func formIntersection(_ other: Self) { names.formIntersection(other.names) }
    public mutating func formSymmetricDifference(_ other: Self) { names.formSymmetricDifference(other.names) }

    private func with(_ names: Set<String>) -> Self {
        var traits = self
        traits.names = names
        return traits
    }
}

/// The treatment of the elements in an element (documentation/swiftui/accessibilitychildbehavior).
public struct AccessibilityChildBehavior: Hashable, Sendable {
    let name: String
    public static let ignore = AccessibilityChildBehavior(name: "ignore")
    public static let contain = AccessibilityChildBehavior(name: "contain")
    public static let combine = AccessibilityChildBehavior(name: "combine")
}

extension View {
    /// documentation/swiftui/view/accessibilitylabel(_:)
    nonisolated public func accessibilityLabel(_ label: Text) -> some View {
        spoken { $0.label = label.words(in: $1.environment) }
    }
    nonisolated public func accessibilityLabel(_ labelKey: LocalizedStringKey) -> some View {
        accessibilityLabel(Text(labelKey))
    }
    @_disfavoredOverload nonisolated public func accessibilityLabel<S: StringProtocol>(_ label: S) -> some View {
        accessibilityLabel(Text(label))
    }

    /// documentation/swiftui/view/accessibilityhint(_:)
    nonisolated public func accessibilityHint(_ hint: Text) -> some View {
        spoken { $0.hint = hint.words(in: $1.environment) }
    }
    @_disfavoredOverload nonisolated public func accessibilityHint<S: StringProtocol>(_ hint: S) -> some View {
        accessibilityHint(Text(hint))
    }

    /// documentation/swiftui/view/accessibilityvalue(_:)
    nonisolated public func accessibilityValue(_ value: Text) -> some View {
        spoken { $0.value = value.words(in: $1.environment) }
    }
    @_disfavoredOverload nonisolated public func accessibilityValue<S: StringProtocol>(_ value: S) -> some View {
        accessibilityValue(Text(value))
    }

    /// documentation/swiftui/view/accessibilityidentifier(_:)
    nonisolated public func accessibilityIdentifier(_ identifier: String) -> some View {
        spoken { accessibility, _ in accessibility.identifier = identifier }
    }

    /// documentation/swiftui/view/accessibilityaddtraits(_:)
    nonisolated public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View {
        spoken { accessibility, _ in accessibility.traits.formUnion(traits) }
    }

    /// documentation/swiftui/view/accessibilityremovetraits(_:)
    nonisolated public func accessibilityRemoveTraits(_ traits: AccessibilityTraits) -> some View {
        spoken { accessibility, _ in accessibility.traits.remove(traits) }
    }

    /// documentation/swiftui/view/accessibilityhidden(_:)
    nonisolated public func accessibilityHidden(_ hidden: Bool) -> some View {
        spoken { accessibility, _ in accessibility.isHidden = hidden }
    }

    /// documentation/swiftui/view/accessibilityelement(children:)
    nonisolated public func accessibilityElement(children: AccessibilityChildBehavior = .ignore) -> some View {
        changed("accessibilityElement") { scope, content in
            let inner = content(scope)
            guard children != .contain, inner.count != 1 || inner[0].kind != .button else { return inner }
            var element = SimulatedElement(.stack, in: scope, children: inner)
            element.accessibility.ignoresChildren = true
            if children == .combine { element.accessibility.label = element.words }
            return [element]
        }
    }

    nonisolated private func spoken(
        _ change: @escaping @MainActor (inout SimulatedElement.Accessibility, SimulatedScope) -> Void
    ) -> some View {
        changed("accessibility") { scope, content in
            var elements = content(scope)
            for index in elements.indices { change(&elements[index].accessibility, scope) }
            return elements
        }
    }
}
