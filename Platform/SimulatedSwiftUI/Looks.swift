import Foundation

/// A font by its purpose, which grows with the user's text size (documentation/swiftui/font).
public struct Font: Hashable, Sendable {
    let name: String
    public static let largeTitle = Font(name: "largeTitle")
    public static let title = Font(name: "title")
    public static let title2 = Font(name: "title2")
    public static let title3 = Font(name: "title3")
    public static let headline = Font(name: "headline")
    public static let subheadline = Font(name: "subheadline")
    public static let body = Font(name: "body")
    public static let callout = Font(name: "callout")
    public static let footnote = Font(name: "footnote")
    public static let caption = Font(name: "caption")

    /// documentation/swiftui/font/system(size:): of one size, whatever the user has chosen.
    public static func system(size: CGFloat) -> Font { Font(name: "fixed \(size)") }
}

/// documentation/swiftui/shapestyle
public protocol ShapeStyle: Sendable {}

/// documentation/swiftui/color
public struct Color: ShapeStyle, Hashable, View, SimulatedPrimitive {
    let name: String
    public static let clear = Color(name: "clear")
    public static let primary = Color(name: "primary")
    public static let secondary = Color(name: "secondary")
    public static let accentColor = Color(name: "accentColor")
    public static let red = Color(name: "red")
    public var body: Never { bodyOfPrimitive() }
    func elements(in scope: SimulatedScope) -> [SimulatedElement] { [] }
}

/// documentation/swiftui/hierarchicalshapestyle
public struct HierarchicalShapeStyle: ShapeStyle {
    let name: String
}

extension ShapeStyle where Self == HierarchicalShapeStyle {
    public static var primary: HierarchicalShapeStyle { HierarchicalShapeStyle(name: "primary") }
    public static var secondary: HierarchicalShapeStyle { HierarchicalShapeStyle(name: "secondary") }
}

extension ShapeStyle where Self == Color {
    public static var red: Color { Color.red }
}

/// documentation/swiftui/edge
public enum Edge: Int8, CaseIterable, Sendable {
    case top, leading, bottom, trailing

    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public static let top = Set(rawValue: 1)
        public static let leading = Set(rawValue: 2)
        public static let bottom = Set(rawValue: 4)
        public static let trailing = Set(rawValue: 8)
        public static let all = Set(rawValue: 15)
        public static let horizontal = Set(rawValue: 10)
        public static let vertical = Set(rawValue: 5)
    }
}

/// documentation/swiftui/textalignment
public enum TextAlignment: CaseIterable, Sendable { case leading, center, trailing }

extension View {
    /// documentation/swiftui/view/font(_:)
    nonisolated public func font(_ font: Font?) -> some View { looking("font \(font?.name ?? "inherited")") }
    /// documentation/swiftui/view/foregroundstyle(_:)
    nonisolated public func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View { looking("foreground \(style)") }
    /// documentation/swiftui/view/padding(_:_:)
    nonisolated public func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View {
        looking("padding")
    }
    /// documentation/swiftui/view/padding(_:)
    nonisolated public func padding(_ length: CGFloat) -> some View { looking("padding") }
    /// documentation/swiftui/view/frame(width:height:alignment:)
    nonisolated public func frame(
        width: CGFloat? = nil,
        height: CGFloat? = nil,
        alignment: Alignment = .center
    ) -> some View {
        looking("frame")
    }
    /// documentation/swiftui/view/frame(minwidth:idealwidth:maxwidth:minheight:idealheight:maxheight:alignment:)
    nonisolated public func frame(
        minWidth: CGFloat? = nil,
        idealWidth: CGFloat? = nil,
        maxWidth: CGFloat? = nil,
        minHeight: CGFloat? = nil,
        idealHeight: CGFloat? = nil,
        maxHeight: CGFloat? = nil,
        alignment: Alignment = .center
    ) -> some View {
        looking("frame")
    }
    /// documentation/swiftui/view/opacity(_:): at zero VoiceOver does not find it either.
    nonisolated public func opacity(_ opacity: Double) -> some View {
        changed("opacity") { scope, content in
            content(scope).map { element in
                var element = element
                if opacity == 0 { element.accessibility.isHidden = true }
                return element
            }
        }
    }
    /// documentation/swiftui/view/linelimit(_:)
    nonisolated public func lineLimit(_ number: Int?) -> some View { looking("lines \(number ?? 0)") }
    /// documentation/swiftui/view/multilinetextalignment(_:)
    nonisolated public func multilineTextAlignment(_ alignment: TextAlignment) -> some View { looking("alignment") }
    /// documentation/swiftui/view/background(alignment:content:)
    nonisolated public func background<V: View>(
        alignment: Alignment = .center,
        @ViewBuilder content: () -> V
    ) -> some View {
        behind(SimulatedChild(content()), isInFront: false)
    }
    /// documentation/swiftui/view/overlay(alignment:content:)
    nonisolated public func overlay<V: View>(
        alignment: Alignment = .center,
        @ViewBuilder content: () -> V
    ) -> some View {
        behind(SimulatedChild(content()), isInFront: true)
    }
    /// documentation/swiftui/view/id(_:): another value is another view.
    nonisolated public func id<ID: Hashable>(_ id: ID) -> some View {
        changed("id") { scope, content in content(scope.child("\(id)")) }
    }

    nonisolated private func behind(_ other: SimulatedChild, isInFront: Bool) -> some View {
        changed("layer") { scope, content in
            let layer = other.elements(scope.child("other"))
            return isInFront ? content(scope) + layer : layer + content(scope)
        }
    }

    nonisolated private func looking(_ look: String) -> some View {
        changed(look) { scope, content in
            content(scope).map { element in
                var element = element
                element.looks.append(look)
                return element
            }
        }
    }
}
