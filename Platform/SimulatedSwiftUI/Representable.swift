#if canImport(UIKit)
    import UIKit

    /// A view of UIKit's in SwiftUI (documentation/swiftui/uiviewrepresentable).
    @available(watchOS, unavailable)
    @MainActor @preconcurrency public protocol UIViewRepresentable: View where Body == Never {
        associatedtype UIViewType: UIView
        associatedtype Coordinator = Void
        typealias Context = UIViewRepresentableContext<Self>
        @MainActor @preconcurrency func makeUIView(context: Context) -> UIViewType
        @MainActor @preconcurrency func updateUIView(_ uiView: UIViewType, context: Context)
        @MainActor @preconcurrency static func dismantleUIView(_ uiView: UIViewType, coordinator: Coordinator)
        @MainActor @preconcurrency func makeCoordinator() -> Coordinator
    }

    /// documentation/swiftui/uiviewrepresentablecontext
    @available(watchOS, unavailable)
    @MainActor @preconcurrency public struct UIViewRepresentableContext<Representable: UIViewRepresentable> {
        public let coordinator: Representable.Coordinator
        public let environment: EnvironmentValues
    }

    extension UIViewRepresentable where Coordinator == Void {
        public func makeCoordinator() {}
    }

    extension UIViewRepresentable {
        public static func dismantleUIView(_ uiView: UIViewType, coordinator: Coordinator) {}
        public var body: Never { bodyOfPrimitive() }
    }

    extension SimulatedScope {
        /// Draws a view of the platform's, which stands in the host's window.
        func elements<R: UIViewRepresentable>(ofPlatformView view: R) -> [SimulatedElement] {
            let scope = child("\(R.self)")
            let kept = scope.host.keep(at: scope.path) { SimulatedPlatformView<R.UIViewType, R.Coordinator>() }
            let coordinator = kept.coordinator ?? view.makeCoordinator()
            kept.coordinator = coordinator
            let context = UIViewRepresentableContext<R>(coordinator: coordinator, environment: environment)
            let native = kept.view ?? view.makeUIView(context: context)
            kept.view = native
            view.updateUIView(native, context: context)
            let window = host.window as? UIWindow
            // The system puts a view into its window after the drawing.
            host.declare(
                .init(
                    onAppear: { native.simulateMove(to: window) },
                    onDisappear: {
                        native.simulateMove(to: nil)
                        R.dismantleUIView(native, coordinator: coordinator)
                    }
                ),
                at: scope.path
            )
            return [SimulatedElement(.platformView, in: scope)]
        }
    }

    extension View {
        /// Draws this view if it is one of the platform's.
        @MainActor func platformElements(in scope: SimulatedScope) -> [SimulatedElement]? {
            (self as? any UIViewRepresentable).map { scope.elements(ofPlatformView: $0) }
        }
    }
#elseif canImport(AppKit)
    import AppKit

    /// A view of AppKit's in SwiftUI (documentation/swiftui/nsviewrepresentable).
    @MainActor @preconcurrency public protocol NSViewRepresentable: View where Body == Never {
        associatedtype NSViewType: NSView
        associatedtype Coordinator = Void
        typealias Context = NSViewRepresentableContext<Self>
        @MainActor @preconcurrency func makeNSView(context: Context) -> NSViewType
        @MainActor @preconcurrency func updateNSView(_ nsView: NSViewType, context: Context)
        @MainActor @preconcurrency static func dismantleNSView(_ nsView: NSViewType, coordinator: Coordinator)
        @MainActor @preconcurrency func makeCoordinator() -> Coordinator
    }

    /// documentation/swiftui/nsviewrepresentablecontext
    @MainActor @preconcurrency public struct NSViewRepresentableContext<View: NSViewRepresentable> {
        public let coordinator: View.Coordinator
        public let environment: EnvironmentValues
    }

    extension NSViewRepresentable where Coordinator == Void {
        public func makeCoordinator() {}
    }

    extension NSViewRepresentable {
        public static func dismantleNSView(_ nsView: NSViewType, coordinator: Coordinator) {}
        public var body: Never { bodyOfPrimitive() }
    }

    extension SimulatedScope {
        /// Draws a view of the platform's, which stands in the host's window.
        func elements<R: NSViewRepresentable>(ofPlatformView view: R) -> [SimulatedElement] {
            let scope = child("\(R.self)")
            let kept = scope.host.keep(at: scope.path) { SimulatedPlatformView<R.NSViewType, R.Coordinator>() }
            let coordinator = kept.coordinator ?? view.makeCoordinator()
            kept.coordinator = coordinator
            let context = NSViewRepresentableContext<R>(coordinator: coordinator, environment: environment)
            let native = kept.view ?? view.makeNSView(context: context)
            kept.view = native
            view.updateNSView(native, context: context)
            let window = host.window as? NSWindow
            // The system puts a view into its window after the drawing.
            host.declare(
                .init(
                    onAppear: { native.simulateMove(to: window) },
                    onDisappear: {
                        native.simulateMove(to: nil)
                        R.dismantleNSView(native, coordinator: coordinator)
                    }
                ),
                at: scope.path
            )
            return [SimulatedElement(.platformView, in: scope)]
        }
    }

    extension View {
        /// Draws this view if it is one of the platform's.
        @MainActor func platformElements(in scope: SimulatedScope) -> [SimulatedElement]? {
            (self as? any NSViewRepresentable).map { scope.elements(ofPlatformView: $0) }
        }
    }
#endif

/// A native view and its coordinator, kept from one drawing to the next.
final class SimulatedPlatformView<Native: AnyObject, Coordinator> {
    var view: Native?
    var coordinator: Coordinator?
}
