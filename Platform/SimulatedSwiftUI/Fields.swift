import Foundation

/// A line to write in (documentation/swiftui/textfield).
public struct TextField<Label>: SimulatedField {
    let label: Label
    let text: Binding<String>
}

extension TextField: View, SimulatedPrimitive where Label: View {
    public var body: Never { bodyOfPrimitive() }
    func elements(in scope: SimulatedScope) -> [SimulatedElement] { [element(.textField, text.wrappedValue, scope)] }
}

extension TextField where Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, text: Binding<String>) {
        self.init(label: Text(titleKey), text: text)
    }

    @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ title: S, text: Binding<String>) {
        self.init(label: Text(title), text: text)
    }
}

/// A line for a secret (documentation/swiftui/securefield).
public struct SecureField<Label>: SimulatedField {
    let label: Label
    let text: Binding<String>
}

extension SecureField: View, SimulatedPrimitive where Label: View {
    public var body: Never { bodyOfPrimitive() }
    func elements(in scope: SimulatedScope) -> [SimulatedElement] { [element(.secureField, "", scope)] }
}

extension SecureField where Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, text: Binding<String>) {
        self.init(label: Text(titleKey), text: text)
    }
}

/// A field's parts.
protocol SimulatedField {
    associatedtype Label
    var label: Label { get }
    var text: Binding<String> { get }
}

extension SimulatedField where Label: View {
    @MainActor func element(
        _ kind: SimulatedElement.Kind,
        _ shown: String,
        _ scope: SimulatedScope
    ) -> SimulatedElement {
        var element = SimulatedElement(kind, shown, in: scope)
        let title = scope.elements(of: label).map(\.words).joined(separator: " ")
        element.accessibility.label = title
        element.accessibility.value = shown
        let text = text
        element.edit = { text.wrappedValue = $0 }
        return element
    }
}

/// A switch (documentation/swiftui/toggle).
public struct Toggle<Label> {
    let isOn: Binding<Bool>
    let label: Label
}

extension Toggle: View, SimulatedPrimitive where Label: View {
    nonisolated public init(isOn: Binding<Bool>, @ViewBuilder label: () -> Label) {
        self.init(isOn: isOn, label: label())
    }

    public var body: Never { bodyOfPrimitive() }

    func elements(in scope: SimulatedScope) -> [SimulatedElement] {
        var element = SimulatedElement(.toggle, in: scope, children: scope.elements(of: label))
        element.accessibility.value = isOn.wrappedValue ? "1" : "0"
        let isOn = isOn
        element.action = { isOn.wrappedValue.toggle() }
        return [element]
    }
}

extension Toggle where Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, isOn: Binding<Bool>) {
        self.init(isOn: isOn, label: Text(titleKey))
    }
}

/// An address to open (documentation/swiftui/link).
public struct Link<Label> {
    let label: Label
    let destination: URL
}

extension Link: View, SimulatedPrimitive where Label: View {
    public var body: Never { bodyOfPrimitive() }

    func elements(in scope: SimulatedScope) -> [SimulatedElement] {
        var element = SimulatedElement(.link, in: scope, children: scope.elements(of: label))
        let (open, destination) = (scope.environment.openURL, destination)
        element.action = { open(destination) }
        return [element]
    }
}

extension Link where Label == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, destination: URL) {
        self.init(label: Text(titleKey), destination: destination)
    }
}
