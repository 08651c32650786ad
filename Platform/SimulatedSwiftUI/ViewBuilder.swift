/// Writes views one under the other (documentation/swiftui/viewbuilder).
@resultBuilder public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }

    public static func buildBlock() -> EmptyView { EmptyView() }

    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }

    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> {
        var children: [SimulatedChild] = []
        repeat children.append(SimulatedChild(each content))
        return TupleView((repeat each content), children)
    }

    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }

    public static func buildEither<First: View, Second: View>(first: First) -> _ConditionalContent<First, Second> {
        _ConditionalContent(.first(first))
    }

    public static func buildEither<First: View, Second: View>(second: Second) -> _ConditionalContent<First, Second> {
        _ConditionalContent(.second(second))
    }

    public static func buildLimitedAvailability<Content: View>(_ content: Content) -> AnyView { AnyView(content) }
}

/// Views one after the other (documentation/swiftui/tupleview).
public struct TupleView<T>: View, SimulatedPrimitive {
    nonisolated(unsafe) public var value: T
    private let children: [SimulatedChild]

    nonisolated init(_ value: T, _ children: [SimulatedChild]) {
        self.value = value
        self.children = children
    }

    public var body: Never { bodyOfPrimitive() }

    func elements(in scope: SimulatedScope) -> [SimulatedElement] {
        children.enumerated().flatMap { $1.elements(scope.child("\($0)")) }
    }
}

/// One of two views; what one of them keeps is not the other's (documentation/swiftui/viewbuilder).
public struct _ConditionalContent<TrueContent, FalseContent> {
    enum Storage {
        case first(TrueContent)
        case second(FalseContent)
    }
    let storage: Storage

    nonisolated init(_ storage: Storage) { self.storage = storage }
}

extension _ConditionalContent: View, SimulatedPrimitive where TrueContent: View, FalseContent: View {
    public var body: Never { bodyOfPrimitive() }

    func elements(in scope: SimulatedScope) -> [SimulatedElement] {
        switch storage {
        case .first(let view): scope.child("true").elements(of: view)
        case .second(let view): scope.child("false").elements(of: view)
        }
    }
}

extension Optional: View where Wrapped: View {
    public var body: Never { bodyOfPrimitive() }
}

extension Optional: SimulatedPrimitive where Wrapped: View {
    func elements(in scope: SimulatedScope) -> [SimulatedElement] {
        map { scope.child("some").elements(of: $0) } ?? []
    }
}
