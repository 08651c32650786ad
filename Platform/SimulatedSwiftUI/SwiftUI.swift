// Stand-in for the sliver of SwiftUI this SDK uses: enough of the view tree to type-check modifiers and to deliver URLs.
import Foundation
import SimulatedPlatform

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

@MainActor protocol SimulatedNode {
    func visit(_ host: SimulatedViewHost)
}

extension Never: View {
    public var body: Never { fatalError() }
}

public struct EmptyView: View, SimulatedNode {
    nonisolated public init() {}
    public var body: Never { fatalError() }
    func visit(_ host: SimulatedViewHost) {}
}

public struct Text: View, SimulatedNode {
    let string: String
    nonisolated public init<S: StringProtocol>(_ content: S) { string = String(content) }
    public var body: Never { fatalError() }
    func visit(_ host: SimulatedViewHost) { host.texts.append(string) }
}

public struct Button<Label: View>: View, SimulatedNode {
    let action: @MainActor () -> Void
    let label: Label
    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        self.action = action
        self.label = label()
    }
    public var body: Never { fatalError() }
    func visit(_ host: SimulatedViewHost) {
        host.buttons.append(action)
        host.walk(label)
    }
}

extension Button where Label == Text {
    public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {
        self.init(action: action) { Text(title) }
    }
}

public struct TupleView<T>: View, SimulatedNode {
    let content: T
    let walkAll: @MainActor (SimulatedViewHost) -> Void
    public var body: Never { fatalError() }
    func visit(_ host: SimulatedViewHost) { walkAll(host) }
}

@resultBuilder public enum ViewBuilder {
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    @MainActor public static func buildBlock<A: View, B: View>(_ a: A, _ b: B) -> TupleView<(A, B)> {
        TupleView(content: (a, b)) { host in
            host.walk(a); host.walk(b)
        }
    }
}

@MainActor @preconcurrency public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = _ViewModifier_Content<Self>
    @ViewBuilder @MainActor @preconcurrency func body(content: Content) -> Body
}

public struct _ViewModifier_Content<Modifier: ViewModifier>: View, SimulatedNode {
    let walk: @MainActor (SimulatedViewHost) -> Void
    public var body: Never { fatalError() }
    func visit(_ host: SimulatedViewHost) { walk(host) }
}

public struct ModifiedContent<Content: View, Modifier: ViewModifier>: View, SimulatedNode {
    nonisolated(unsafe) public let content: Content
    nonisolated(unsafe) public let modifier: Modifier
    nonisolated public init(content: Content, modifier: Modifier) {
        self.content = content
        self.modifier = modifier
    }
    public var body: Never { fatalError() }
    func visit(_ host: SimulatedViewHost) {
        let content = content
        host.walk(modifier.body(content: _ViewModifier_Content { host in host.walk(content) }))
    }
}

struct OpenURLView<Content: View>: View, SimulatedNode {
    let content: Content
    let action: (URL) -> Void
    var body: Never { fatalError() }
    func visit(_ host: SimulatedViewHost) {
        host.urlActions.append(action)
        host.walk(content)
    }
}

extension View {
    nonisolated public func onOpenURL(perform action: @escaping (URL) -> Void) -> some View {
        OpenURLView(content: self, action: action)
    }
    nonisolated public func modifier<T: ViewModifier>(_ modifier: T) -> ModifiedContent<Self, T> {
        ModifiedContent(content: self, modifier: modifier)
    }
}

// MARK: Environment

public struct EnvironmentValues: Sendable {
    public init() {}
}

public protocol DynamicProperty {}

@propertyWrapper public struct Environment<Value>: DynamicProperty {
    let keyPath: KeyPath<EnvironmentValues, Value>
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }
    public var wrappedValue: Value { EnvironmentValues()[keyPath: keyPath] }
}

// MARK: Test control

@MainActor public final class SimulatedViewHost {
    public fileprivate(set) var texts: [String] = []
    public fileprivate(set) var buttons: [@MainActor () -> Void] = []
    var urlActions: [(URL) -> Void] = []

    public init<Root: View>(_ root: Root) { walk(root) }

    func walk<V: View>(_ view: V) {
        if let node = view as? any SimulatedNode { node.visit(self) } else { walk(view.body) }
    }

    /// The system hands the app a URL. Innermost handler first is not promised, so every handler gets it.
    public func open(_ url: URL) { for action in urlActions { action(url) } }
}
