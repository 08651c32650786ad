extension View {
    /// documentation/swiftui/view/onappear(perform:)
    nonisolated public func onAppear(perform action: (() -> Void)? = nil) -> some View {
        living(.init(onAppear: action), "onAppear")
    }

    /// documentation/swiftui/view/ondisappear(perform:)
    nonisolated public func onDisappear(perform action: (() -> Void)? = nil) -> some View {
        living(.init(onDisappear: action), "onDisappear")
    }

    /// documentation/swiftui/view/task(priority:_:): starts when the view appears, cancelled when it goes.
    nonisolated public func task(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View {
        living(.init(task: action), "task")
    }

    /// documentation/swiftui/view/task(id:priority:_:): also restarted when the value changes.
    nonisolated public func task<T: Equatable>(
        id value: T,
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View where T: Hashable {
        living(.init(task: action, id: value), "task")
    }

    /// documentation/swiftui/view/onchange(of:initial:_:) with the value before and the value now.
    @available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, *)
    nonisolated public func onChange<V: Equatable>(
        of value: V,
        initial: Bool = false,
        _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
    ) -> some View {
        living(
            .init(
                value: value,
                onChange: { if let old = $0 as? V, let new = $1 as? V { action(old, new) } },
                isToldAtFirst: initial
            ),
            "onChange"
        )
    }

    /// documentation/swiftui/view/onchange(of:initial:_:) without values.
    @available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, *)
    nonisolated public func onChange<V: Equatable>(
        of value: V,
        initial: Bool = false,
        _ action: @escaping () -> Void
    ) -> some View {
        onChange(of: value, initial: initial) { _, _ in action() }
    }

    nonisolated private func living(_ declaration: SimulatedLife.Declaration, _ name: String) -> some View {
        changed(name) { scope, content in
            scope.host.declare(declaration, at: scope.path)
            return content(scope)
        }
    }
}
