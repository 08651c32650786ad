import Foundation

/// A part of the screen (documentation/swiftui/view).
///
/// The body is isolated to the main actor, and so is every type that conforms in its own declaration.
@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

/// A view that draws itself here instead of having a body.
@MainActor protocol SimulatedPrimitive {
    func elements(in scope: SimulatedScope) -> [SimulatedElement]
}

extension Never: View {
    public var body: Never { bodyOfPrimitive() }
}

/// The body of a view that has none: no code asks for it.
func bodyOfPrimitive() -> Never { preconditionFailure("This view has no body.") }

/// Nothing (documentation/swiftui/emptyview).
public struct EmptyView: View, SimulatedPrimitive {
    nonisolated public init() {}
    public var body: Never { bodyOfPrimitive() }
    func elements(in scope: SimulatedScope) -> [SimulatedElement] { [] }
}

/// Any view (documentation/swiftui/anyview).
public struct AnyView: View, SimulatedPrimitive {
    private let content: SimulatedChild
    private let type: Any.Type

    nonisolated public init<Content: View>(_ view: Content) {
        content = SimulatedChild(view)
        type = Content.self
    }

    public var body: Never { bodyOfPrimitive() }
    func elements(in scope: SimulatedScope) -> [SimulatedElement] { content.elements(scope.child("\(type)")) }
}

/// Several views as one (documentation/swiftui/group).
public struct Group<Content> {
    let content: Content
}

extension Group: View, SimulatedPrimitive where Content: View {
    nonisolated public init(@ViewBuilder content: () -> Content) { self.init(content: content()) }
    public var body: Never { bodyOfPrimitive() }
    func elements(in scope: SimulatedScope) -> [SimulatedElement] { scope.elements(of: content) }
}

/// One view for each element of a collection (documentation/swiftui/foreach).
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {
    public var data: Data
    public var content: (Data.Element) -> Content
    let id: KeyPath<Data.Element, ID>
}

extension ForEach: View, SimulatedPrimitive where Content: View {
    nonisolated public init(
        _ data: Data,
        id: KeyPath<Data.Element, ID>,
        @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {
        self.init(data: data, content: content, id: id)
    }

    public var body: Never { bodyOfPrimitive() }

    func elements(in scope: SimulatedScope) -> [SimulatedElement] {
        data.flatMap { scope.child("\($0[keyPath: id])").elements(of: content($0)) }
    }
}

extension ForEach where Content: View, Data.Element: Identifiable, ID == Data.Element.ID {
    nonisolated public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {
        self.init(data: data, content: content, id: \.id)
    }
}
