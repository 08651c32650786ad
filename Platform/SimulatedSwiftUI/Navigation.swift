/// Screens on a stack (documentation/swiftui/navigationstack): the root, and what its links lead to.
@MainActor @preconcurrency public struct NavigationStack<Data, Root> { let root: Root }

/// documentation/swiftui/navigationpath: here only named by a stack without a path of its own.
public struct NavigationPath: Equatable {
    public init() {}
}

extension NavigationStack: View, SimulatedPrimitive where Root: View {
    public var body: Never { bodyOfPrimitive() }

    func elements(in scope: SimulatedScope) -> [SimulatedElement] {
        let stack = scope.host.keep(at: scope.path) { SimulatedNavigation() }
        stack.host = scope.host
        var scope = scope
        scope.environment.navigation = stack
        guard let top = stack.screens.last else { return [scope.container(.navigation, root)] }
        var pushed = scope.child("pushed\(stack.screens.count)")
        pushed.environment.setDismiss { stack.pop() }
        // The root stays alive below.
        _ = scope.elements(of: root)
        return [SimulatedElement(.navigation, in: scope, children: top.elements(pushed) + [back(stack, scope)])]
    }

    private func back(_ stack: SimulatedNavigation, _ scope: SimulatedScope) -> SimulatedElement {
        var button = SimulatedElement(.button, "Back", in: scope)
        button.action = { stack.pop() }
        return button
    }
}

extension NavigationStack where Data == NavigationPath, Root: View {
    public init(@ViewBuilder root: () -> Root) { self.init(root: root()) }
}

/// The screens above a stack's root.
@MainActor final class SimulatedNavigation {
    fileprivate(set) var screens: [SimulatedChild] = []
    weak var host: SimulatedViewHost?

    func push(_ screen: SimulatedChild) {
        screens.append(screen)
        host?.invalidate()
    }

    func pop() {
        _ = screens.popLast()
        host?.invalidate()
    }
}

private struct NavigationKey: EnvironmentKey {
    static var defaultValue: SimulatedNavigation? { nil }
}

extension EnvironmentValues {
    var navigation: SimulatedNavigation? {
        get { self[NavigationKey.self] }
        set { self[NavigationKey.self] = newValue }
    }
}

/// Leads to another screen (documentation/swiftui/navigationlink).
@MainActor @preconcurrency public struct NavigationLink<Label, Destination> {
    let label: Label
    let destination: Destination
}

extension NavigationLink: View, SimulatedPrimitive where Label: View, Destination: View {
    public init(@ViewBuilder destination: () -> Destination, @ViewBuilder label: () -> Label) {
        self.init(label: label(), destination: destination())
    }

    public var body: Never { bodyOfPrimitive() }

    func elements(in scope: SimulatedScope) -> [SimulatedElement] {
        var element = SimulatedElement(.button, in: scope, children: scope.elements(of: label))
        let (stack, screen) = (scope.environment.navigation, SimulatedChild(destination))
        element.action = { stack?.push(screen) }
        element.accessibility.traits = .isButton
        return [element]
    }
}

extension NavigationLink where Label == Text, Destination: View {
    public init(_ titleKey: LocalizedStringKey, @ViewBuilder destination: () -> Destination) {
        self.init(label: Text(titleKey), destination: destination())
    }

    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, @ViewBuilder destination: () -> Destination) {
        self.init(label: Text(title), destination: destination())
    }
}

extension View {
    /// documentation/swiftui/view/navigationtitle(_:)
    nonisolated public func navigationTitle(_ titleKey: LocalizedStringKey) -> some View { titled(Text(titleKey)) }

    /// documentation/swiftui/view/navigationtitle(_:)
    @_disfavoredOverload nonisolated public func navigationTitle<S: StringProtocol>(_ title: S) -> some View {
        titled(Text(title))
    }

    nonisolated private func titled(_ title: Text) -> some View {
        changed("navigationTitle") { scope, content in
            var heading = SimulatedElement(.text, title.words(in: scope.environment), in: scope)
            heading.accessibility.traits = .isHeader
            return [heading] + content(scope)
        }
    }

    /// documentation/swiftui/view/toolbar(content:), for plain views.
    nonisolated public func toolbar<Content: View>(@ViewBuilder content: () -> Content) -> some View {
        let bar = SimulatedChild(content())
        return changed("toolbar") { scope, content in bar.elements(scope.child("bar")) + content(scope) }
    }
}
