import Foundation
import SimulatedPlatform

/// A program with windows (documentation/swiftui/app).
@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}

extension App {
    /// Nothing here runs an app by itself: a test makes a ``SimulatedViewHost`` of it.
    @MainActor @preconcurrency public static func main() { _ = Self() }
}

/// A part of an app with a life of its own (documentation/swiftui/scene).
@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: Scene {}

/// A scene that draws itself here.
@MainActor protocol SimulatedScene {
    func elements(in scope: SimulatedScope) -> [SimulatedElement]
}

/// documentation/swiftui/scenebuilder
@resultBuilder public struct SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

/// Windows with one content (documentation/swiftui/windowgroup).
public struct WindowGroup<Content: View>: Scene, SimulatedScene {
    nonisolated(unsafe) let content: () -> Content
    nonisolated public init(@ViewBuilder content: @escaping () -> Content) { self.content = content }
    public var body: Never { bodyOfPrimitive() }
    func elements(in scope: SimulatedScope) -> [SimulatedElement] { scope.elements(of: content()) }
}

/// Whether a scene is seen (documentation/swiftui/scenephase).
public enum ScenePhase: Comparable, Hashable, Sendable { case background, inactive, active }

extension SimulatedScope {
    fileprivate func elements<S: Scene>(ofScene scene: S) -> [SimulatedElement] {
        if let scene = scene as? any SimulatedScene { return scene.elements(in: self) }
        let scope = child("\(S.self)")
        scope.install(scene)
        return scope.elements(ofScene: scene.body)
    }
}

extension SimulatedViewHost {
    /// Launches an app.
    public convenience init<A: App>(
        app: A,
        window: AnyObject? = nil,
        environment: EnvironmentValues = EnvironmentValues()
    ) {
        self.init(window: window, environment: environment) { scope in
            let scope = scope.child("\(A.self)")
            scope.install(app)
            return scope.elements(ofScene: app.body)
        }
    }
}

/// Shows a view while it is written (documentation/swiftui/previewprovider).
@MainActor @preconcurrency public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder @MainActor @preconcurrency static var previews: Previews { get }
}
