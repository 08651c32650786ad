import Foundation

private struct Stored<Value, Name>: EnvironmentKey {
    static var defaultValue: Value? { nil }
}
private enum LocaleName {}
private enum PhaseName {}
private enum EnabledName {}
private enum TypeSizeName {}
private enum DismissName {}
private enum OpenURLName {}
private enum ControlSizeName {}
private enum SchemeName {}

extension EnvironmentValues {
    /// documentation/swiftui/environmentvalues/locale: texts are looked up in its language.
    public var locale: Locale {
        get { self[Stored<Locale, LocaleName>.self] ?? Locale(identifier: "en_US") }
        set { self[Stored<Locale, LocaleName>.self] = newValue }
    }

    /// documentation/swiftui/environmentvalues/scenephase
    public var scenePhase: ScenePhase {
        get { self[Stored<ScenePhase, PhaseName>.self] ?? .active }
        set { self[Stored<ScenePhase, PhaseName>.self] = newValue }
    }

    /// documentation/swiftui/environmentvalues/isenabled
    public var isEnabled: Bool {
        get { self[Stored<Bool, EnabledName>.self] ?? true }
        set { self[Stored<Bool, EnabledName>.self] = newValue }
    }

    /// documentation/swiftui/environmentvalues/dynamictypesize
    public var dynamicTypeSize: DynamicTypeSize {
        get { self[Stored<DynamicTypeSize, TypeSizeName>.self] ?? .large }
        set { self[Stored<DynamicTypeSize, TypeSizeName>.self] = newValue }
    }

    /// documentation/swiftui/environmentvalues/controlsize
    public var controlSize: ControlSize {
        get { self[Stored<ControlSize, ControlSizeName>.self] ?? .regular }
        set { self[Stored<ControlSize, ControlSizeName>.self] = newValue }
    }

    /// documentation/swiftui/environmentvalues/colorscheme
    public var colorScheme: ColorScheme {
        get { self[Stored<ColorScheme, SchemeName>.self] ?? .light }
        set { self[Stored<ColorScheme, SchemeName>.self] = newValue }
    }

    /// documentation/swiftui/environmentvalues/dismiss
    public var dismiss: DismissAction { self[Stored<DismissAction, DismissName>.self] ?? DismissAction(action: {}) }

    mutating func setDismiss(_ action: @escaping @MainActor () -> Void) {
        self[Stored<DismissAction, DismissName>.self] = DismissAction(action: action)
    }

    /// documentation/swiftui/environmentvalues/openurl
    public var openURL: OpenURLAction {
        get { self[Stored<OpenURLAction, OpenURLName>.self] ?? OpenURLAction { _ in .systemAction } }
        set { self[Stored<OpenURLAction, OpenURLName>.self] = newValue }
    }
}

/// Closes what is presented (documentation/swiftui/dismissaction).
@MainActor @preconcurrency public struct DismissAction {
    nonisolated(unsafe) private let action: @MainActor () -> Void
    nonisolated init(action: @escaping @MainActor () -> Void) { self.action = action }
    public func callAsFunction() { action() }
}

/// The user's size of text (documentation/swiftui/dynamictypesize).
public enum DynamicTypeSize: Int, Hashable, Comparable, CaseIterable, Sendable {
    case xSmall, small, medium, large, xLarge, xxLarge, xxxLarge
    case accessibility1, accessibility2, accessibility3, accessibility4, accessibility5

    public var isAccessibilitySize: Bool { self >= .accessibility1 }
    public static func < (a: DynamicTypeSize, b: DynamicTypeSize) -> Bool { a.rawValue < b.rawValue }
}

/// documentation/swiftui/controlsize
public enum ControlSize: CaseIterable, Sendable { case mini, small, regular, large, extraLarge }

/// documentation/swiftui/colorscheme
public enum ColorScheme: CaseIterable, Sendable { case light, dark }

extension View {
    /// documentation/swiftui/view/disabled(_:): what is disabled outside stays so inside.
    nonisolated public func disabled(_ disabled: Bool) -> some View {
        changing { $0.isEnabled = $0.isEnabled && !disabled }
    }

    /// documentation/swiftui/view/controlsize(_:)
    nonisolated public func controlSize(_ controlSize: ControlSize) -> some View {
        changing { $0.controlSize = controlSize }
    }

    /// documentation/swiftui/view/dynamictypesize(_:)
    nonisolated public func dynamicTypeSize(_ size: DynamicTypeSize) -> some View {
        changing { $0.dynamicTypeSize = size }
    }

    /// documentation/swiftui/view/dynamictypesize(_:), for a range.
    nonisolated public func dynamicTypeSize<T: RangeExpression>(_ range: T) -> some View
    where T.Bound == DynamicTypeSize {
        nonisolated(unsafe) let range = range
        return changing { values in
            guard !range.contains(values.dynamicTypeSize) else { return }
            let allowed = DynamicTypeSize.allCases.filter { range.contains($0) }
            guard let first = allowed.first, let last = allowed.last else { return }
            values.dynamicTypeSize = values.dynamicTypeSize < first ? first : last
        }
    }
}
