import Foundation

/// Views one under the other (documentation/swiftui/vstack).
public struct VStack<Content> { let content: Content }
/// Views side by side (documentation/swiftui/hstack).
public struct HStack<Content> { let content: Content }
/// Views one above the other (documentation/swiftui/zstack).
public struct ZStack<Content> { let content: Content }
/// A container that scrolls content which does not fit (documentation/swiftui/scrollview).
public struct ScrollView<Content> { let content: Content }

extension VStack: View, SimulatedPrimitive where Content: View {
    nonisolated public init(
        alignment: HorizontalAlignment = .center,
        spacing: CGFloat? = nil,
        @ViewBuilder content: () -> Content
    ) {
        self.init(content: content())
    }
    public var body: Never { bodyOfPrimitive() }
    func elements(in scope: SimulatedScope) -> [SimulatedElement] { [scope.container(.stack, content)] }
}

extension HStack: View, SimulatedPrimitive where Content: View {
    nonisolated public init(
        alignment: VerticalAlignment = .center,
        spacing: CGFloat? = nil,
        @ViewBuilder content: () -> Content
    ) {
        self.init(content: content())
    }
    public var body: Never { bodyOfPrimitive() }
    func elements(in scope: SimulatedScope) -> [SimulatedElement] { [scope.container(.stack, content)] }
}

extension ZStack: View, SimulatedPrimitive where Content: View {
    nonisolated public init(alignment: Alignment = .center, @ViewBuilder content: () -> Content) {
        self.init(content: content())
    }
    public var body: Never { bodyOfPrimitive() }
    func elements(in scope: SimulatedScope) -> [SimulatedElement] { [scope.container(.stack, content)] }
}

extension ScrollView: View, SimulatedPrimitive where Content: View {
    nonisolated public init(@ViewBuilder content: () -> Content) { self.init(content: content()) }
    public var body: Never { bodyOfPrimitive() }
    func elements(in scope: SimulatedScope) -> [SimulatedElement] { [scope.container(.stack, content)] }
}

/// Rows (documentation/swiftui/list).
@MainActor @preconcurrency public struct List<SelectionValue, Content> { let content: Content }

extension List: View, SimulatedPrimitive where SelectionValue: Hashable, Content: View {
    public var body: Never { bodyOfPrimitive() }
    func elements(in scope: SimulatedScope) -> [SimulatedElement] { [scope.container(.list, content)] }
}

extension List where SelectionValue == Never, Content: View {
    public init(@ViewBuilder content: () -> Content) { self.init(content: content()) }

    public init<Data: RandomAccessCollection, RowContent: View>(
        _ data: Data,
        @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
    ) where Content == ForEach<Data, Data.Element.ID, RowContent>, Data.Element: Identifiable {
        self.init(content: ForEach(data, content: rowContent))
    }
}

/// Rows of a form (documentation/swiftui/form).
public struct Form<Content> { let content: Content }

extension Form: View, SimulatedPrimitive where Content: View {
    nonisolated public init(@ViewBuilder content: () -> Content) { self.init(content: content()) }
    public var body: Never { bodyOfPrimitive() }
    func elements(in scope: SimulatedScope) -> [SimulatedElement] { [scope.container(.form, content)] }
}

/// Rows under a heading (documentation/swiftui/section).
public struct Section<Parent, Content, Footer> {
    let header: Parent
    let content: Content
    let footer: Footer
}

extension Section: View, SimulatedPrimitive where Parent: View, Content: View, Footer: View {
    public var body: Never { bodyOfPrimitive() }
    func elements(in scope: SimulatedScope) -> [SimulatedElement] {
        let parts =
            scope.child("header").elements(of: header) + scope.child("content").elements(of: content)
            + scope.child("footer").elements(of: footer)
        return [SimulatedElement(.section, in: scope, children: parts)]
    }
}

extension Section where Parent == EmptyView, Content: View, Footer == EmptyView {
    nonisolated public init(@ViewBuilder content: () -> Content) {
        self.init(header: EmptyView(), content: content(), footer: EmptyView())
    }
}

extension Section where Parent == Text, Content: View, Footer == EmptyView {
    nonisolated public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) {
        self.init(header: Text(titleKey), content: content(), footer: EmptyView())
    }

    @_disfavoredOverload nonisolated public init<S: StringProtocol>(
        _ title: S,
        @ViewBuilder content: () -> Content
    ) {
        self.init(header: Text(title), content: content(), footer: EmptyView())
    }
}

/// Empty room (documentation/swiftui/spacer).
public struct Spacer: View, SimulatedPrimitive {
    nonisolated public init(minLength: CGFloat? = nil) {}
    public var body: Never { bodyOfPrimitive() }
    func elements(in scope: SimulatedScope) -> [SimulatedElement] { [] }
}

/// A line (documentation/swiftui/divider).
public struct Divider: View, SimulatedPrimitive {
    nonisolated public init() {}
    public var body: Never { bodyOfPrimitive() }
    func elements(in scope: SimulatedScope) -> [SimulatedElement] { [] }
}

/// documentation/swiftui/horizontalalignment
public struct HorizontalAlignment: Equatable, Sendable {
    let name: String
    public static let leading = HorizontalAlignment(name: "leading")
    public static let center = HorizontalAlignment(name: "center")
    public static let trailing = HorizontalAlignment(name: "trailing")
}

/// documentation/swiftui/verticalalignment
public struct VerticalAlignment: Equatable, Sendable {
    let name: String
    public static let top = VerticalAlignment(name: "top")
    public static let center = VerticalAlignment(name: "center")
    public static let bottom = VerticalAlignment(name: "bottom")
    public static let firstTextBaseline = VerticalAlignment(name: "firstTextBaseline")
}

/// documentation/swiftui/alignment
public struct Alignment: Equatable, Sendable {
    public var horizontal: HorizontalAlignment
    public var vertical: VerticalAlignment
    public init(horizontal: HorizontalAlignment, vertical: VerticalAlignment) {
        self.horizontal = horizontal
        self.vertical = vertical
    }
    public static let center = Alignment(horizontal: .center, vertical: .center)
    public static let leading = Alignment(horizontal: .leading, vertical: .center)
    public static let trailing = Alignment(horizontal: .trailing, vertical: .center)
    public static let top = Alignment(horizontal: .center, vertical: .top)
    public static let bottom = Alignment(horizontal: .center, vertical: .bottom)
}

extension SimulatedScope {
    /// A container with what it holds.
    func container<Content: View>(_ kind: SimulatedElement.Kind, _ content: Content) -> SimulatedElement {
        SimulatedElement(kind, in: self, children: elements(of: content))
    }
}
