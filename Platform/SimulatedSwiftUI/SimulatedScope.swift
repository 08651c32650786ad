/// The surroundings of a view while it is drawn: its identity, its environment and the host.
@MainActor struct SimulatedScope {
    let host: SimulatedViewHost
    /// Two views with one path in two passes are one view: what it keeps stays.
    private(set) var path: String
    var environment: EnvironmentValues

    init(host: SimulatedViewHost, environment: EnvironmentValues) {
        self.host = host
        path = ""
        self.environment = environment
    }

    func child(_ name: String) -> SimulatedScope {
        var child = self
        child.path += "/" + name
        return child
    }

    /// Draws a view.
    func elements<V: View>(of view: V) -> [SimulatedElement] {
        if let primitive = view as? any SimulatedPrimitive { return primitive.elements(in: self) }
        if let elements = view.platformElements(in: self) { return elements }
        let scope = child("\(V.self)")
        scope.install(view)
        return scope.elements(of: view.body)
    }

    /// Connects what a view keeps with where it is kept.
    func install(_ owner: Any) {
        for (label, value) in Mirror(reflecting: owner).children {
            (value as? any SimulatedInstallable)?.install(in: child("." + (label ?? "")))
        }
    }
}

/// A property that lives where its view stands.
@MainActor protocol SimulatedInstallable {
    func install(in scope: SimulatedScope)
}

/// A view whose type is forgotten.
struct SimulatedChild {
    let elements: @MainActor (SimulatedScope) -> [SimulatedElement]

    init<V: View>(_ view: V) { elements = { $0.elements(of: view) } }
}
