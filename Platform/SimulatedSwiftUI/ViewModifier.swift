/// Changes a view into another (documentation/swiftui/viewmodifier).
@MainActor @preconcurrency public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = _ViewModifier_Content<Self>
    @ViewBuilder @MainActor @preconcurrency func body(content: Self.Content) -> Self.Body
}

/// The content that a modifier is applied to.
public struct _ViewModifier_Content<Modifier: ViewModifier>: View, SimulatedPrimitive {
    let content: SimulatedChild
    nonisolated init(_ content: SimulatedChild) { self.content = content }
    public var body: Never { bodyOfPrimitive() }
    func elements(in scope: SimulatedScope) -> [SimulatedElement] { content.elements(scope) }
}

/// A view with its modifier (documentation/swiftui/modifiedcontent).
public struct ModifiedContent<Content, Modifier> {
    nonisolated(unsafe) public var content: Content
    nonisolated(unsafe) public var modifier: Modifier
    nonisolated public init(content: Content, modifier: Modifier) {
        self.content = content
        self.modifier = modifier
    }
}

extension ModifiedContent: View, SimulatedPrimitive where Content: View, Modifier: ViewModifier {
    public var body: Never { bodyOfPrimitive() }

    func elements(in scope: SimulatedScope) -> [SimulatedElement] {
        let scope = scope.child("\(Modifier.self)")
        scope.install(modifier)
        return scope.elements(of: modifier.body(content: _ViewModifier_Content(SimulatedChild(content))))
    }
}

extension View {
    nonisolated public func modifier<T: ViewModifier>(_ modifier: T) -> ModifiedContent<Self, T> {
        ModifiedContent(content: self, modifier: modifier)
    }
}

/// A modifier of the framework's own: a function of where the view stands and of what the view shows.
struct SimulatedModified<Content: View>: View, SimulatedPrimitive {
    typealias Change = @MainActor (SimulatedScope, (SimulatedScope) -> [SimulatedElement]) -> [SimulatedElement]
    nonisolated(unsafe) let content: Content
    let name: String
    nonisolated(unsafe) let change: Change

    nonisolated init(_ content: Content, _ name: String, _ change: @escaping Change) {
        self.content = content
        self.name = name
        self.change = change
    }

    var body: Never { bodyOfPrimitive() }

    func elements(in scope: SimulatedScope) -> [SimulatedElement] {
        change(scope.child(name)) { $0.elements(of: content) }
    }
}

extension View {
    /// This view, changed where it is drawn.
    nonisolated func changed(_ name: String, _ change: @escaping SimulatedModified<Self>.Change) -> some View {
        SimulatedModified(self, name, change)
    }

    /// This view with another environment.
    nonisolated func changing(_ change: @escaping @MainActor (inout EnvironmentValues) -> Void) -> some View {
        SimulatedModified(self, "environment") { scope, content in
            var scope = scope
            change(&scope.environment)
            return content(scope)
        }
    }
}
