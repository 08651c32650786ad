/// The purpose of a button (documentation/swiftui/buttonrole).
public struct ButtonRole: Equatable, Sendable {
    let name: String
    public static let destructive = ButtonRole(name: "destructive")
    public static let cancel = ButtonRole(name: "cancel")
}

/// A control that a user taps (documentation/swiftui/button).
@MainActor @preconcurrency public struct Button<Label> {
    let role: ButtonRole?
    let action: @MainActor () -> Void
    let label: Label
}

extension Button: View, SimulatedPrimitive where Label: View {
    @preconcurrency public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        self.init(role: nil, action: action, label: label())
    }

    @preconcurrency public init(
        role: ButtonRole?,
        action: @escaping @MainActor () -> Void,
        @ViewBuilder label: () -> Label
    ) {
        self.init(role: role, action: action, label: label())
    }

    public var body: Never { bodyOfPrimitive() }

    func elements(in scope: SimulatedScope) -> [SimulatedElement] {
        if let style = scope.environment.buttonStyle {
            return style(self.configuration, scope)
        }
        return [element(scope.elements(of: label), in: scope)]
    }

    private var configuration: SimulatedButton {
        SimulatedButton(role: role, action: action, label: SimulatedChild(label))
    }

    private func element(_ children: [SimulatedElement], in scope: SimulatedScope) -> SimulatedElement {
        configuration.element(children, in: scope)
    }
}

extension Button where Label == Text {
    @preconcurrency public init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) {
        self.init(role: nil, action: action, label: Text(titleKey))
    }

    @_disfavoredOverload @preconcurrency public init<S: StringProtocol>(
        _ title: S,
        action: @escaping @MainActor () -> Void
    ) {
        self.init(role: nil, action: action, label: Text(title))
    }

    @preconcurrency public init(
        _ titleKey: LocalizedStringKey,
        role: ButtonRole?,
        action: @escaping @MainActor () -> Void
    ) {
        self.init(role: role, action: action, label: Text(titleKey))
    }

    @_disfavoredOverload @preconcurrency public init<S: StringProtocol>(
        _ title: S,
        role: ButtonRole?,
        action: @escaping @MainActor () -> Void
    ) {
        self.init(role: role, action: action, label: Text(title))
    }
}

/// A button before it has a look.
@MainActor struct SimulatedButton {
    let role: ButtonRole?
    let action: @MainActor () -> Void
    let label: SimulatedChild

    func element(_ children: [SimulatedElement], in scope: SimulatedScope) -> SimulatedElement {
        var element = SimulatedElement(.button, in: scope, children: children)
        element.role = role
        element.action = action
        element.accessibility.traits = .isButton
        return element
    }
}

/// A look of the system's or of an app's own making, that acts by itself (documentation/swiftui/primitivebuttonstyle).
@MainActor @preconcurrency public protocol PrimitiveButtonStyle {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency func makeBody(configuration: Configuration) -> Body
    typealias Configuration = PrimitiveButtonStyleConfiguration
}

/// documentation/swiftui/primitivebuttonstyleconfiguration
public struct PrimitiveButtonStyleConfiguration {
    public struct Label: View, SimulatedPrimitive {
        let content: SimulatedChild
        public var body: Never { bodyOfPrimitive() }
        func elements(in scope: SimulatedScope) -> [SimulatedElement] { content.elements(scope) }
    }
    public let role: ButtonRole?
    public let label: Label
    let action: @MainActor () -> Void
    @MainActor public func trigger() { action() }
}

/// A look (documentation/swiftui/buttonstyle).
@MainActor @preconcurrency public protocol ButtonStyle {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency func makeBody(configuration: Configuration) -> Body
    typealias Configuration = ButtonStyleConfiguration
}

/// documentation/swiftui/buttonstyleconfiguration
public struct ButtonStyleConfiguration {
    public struct Label: View, SimulatedPrimitive {
        let content: SimulatedChild
        public var body: Never { bodyOfPrimitive() }
        func elements(in scope: SimulatedScope) -> [SimulatedElement] { content.elements(scope) }
    }
    public let role: ButtonRole?
    public let label: Label
    public let isPressed: Bool
}

private struct ButtonLook: EnvironmentKey {
    static var defaultValue: (@MainActor (SimulatedButton, SimulatedScope) -> [SimulatedElement])? { nil }
}

extension EnvironmentValues {
    var buttonStyle: (@MainActor (SimulatedButton, SimulatedScope) -> [SimulatedElement])? {
        get { self[ButtonLook.self] }
        set { self[ButtonLook.self] = newValue }
    }
}

extension View {
    /// documentation/swiftui/view/buttonstyle(_:)
    nonisolated public func buttonStyle<S: ButtonStyle>(_ style: S) -> some View {
        nonisolated(unsafe) let style = style
        return changing { values in
            values.buttonStyle = { button, scope in
                let label = ButtonStyleConfiguration.Label(content: button.label)
                let look = style.makeBody(configuration: .init(role: button.role, label: label, isPressed: false))
                return [button.element(scope.elements(of: look), in: scope)]
            }
        }
    }

    /// documentation/swiftui/view/buttonstyle(_:), for a style that acts by itself.
    nonisolated public func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> some View {
        nonisolated(unsafe) let style = style
        return changing { values in
            values.buttonStyle = { button, scope in
                let label = PrimitiveButtonStyleConfiguration.Label(content: button.label)
                let look = style.makeBody(
                    configuration: .init(role: button.role, label: label, action: button.action)
                )
                var element = button.element(scope.elements(of: look), in: scope)
                element.looks = ["\(S.self)"]
                return [element]
            }
        }
    }
}

/// documentation/swiftui/borderedbuttonstyle
public struct BorderedButtonStyle: PrimitiveButtonStyle {
    nonisolated public init() {}
    public func makeBody(configuration: Configuration) -> some View { configuration.label }
}

/// documentation/swiftui/borderedprominentbuttonstyle
public struct BorderedProminentButtonStyle: PrimitiveButtonStyle {
    nonisolated public init() {}
    public func makeBody(configuration: Configuration) -> some View { configuration.label }
}

/// documentation/swiftui/plainbuttonstyle
public struct PlainButtonStyle: PrimitiveButtonStyle {
    nonisolated public init() {}
    public func makeBody(configuration: Configuration) -> some View { configuration.label }
}

extension PrimitiveButtonStyle where Self == BorderedButtonStyle {
    public static var bordered: BorderedButtonStyle { BorderedButtonStyle() }
}
extension PrimitiveButtonStyle where Self == BorderedProminentButtonStyle {
    public static var borderedProminent: BorderedProminentButtonStyle { BorderedProminentButtonStyle() }
}
extension PrimitiveButtonStyle where Self == PlainButtonStyle {
    public static var plain: PlainButtonStyle { PlainButtonStyle() }
}
