extension View {
    /// documentation/swiftui/view/alert(_:ispresented:actions:message:)
    nonisolated public func alert<A: View, M: View>(
        _ titleKey: LocalizedStringKey,
        isPresented: Binding<Bool>,
        @ViewBuilder actions: () -> A,
        @ViewBuilder message: () -> M
    ) -> some View {
        presenting(.alert, Text(titleKey), isPresented, SimulatedChild(actions()), SimulatedChild(message()))
    }

    /// documentation/swiftui/view/alert(_:ispresented:actions:message:), titled by a text.
    nonisolated public func alert<A: View, M: View>(
        _ title: Text,
        isPresented: Binding<Bool>,
        @ViewBuilder actions: () -> A,
        @ViewBuilder message: () -> M
    ) -> some View {
        presenting(.alert, title, isPresented, SimulatedChild(actions()), SimulatedChild(message()))
    }

    /// documentation/swiftui/view/alert(_:ispresented:presenting:actions:message:): only with data, made anew for it.
    nonisolated public func alert<A: View, M: View, T>(
        _ title: Text,
        isPresented: Binding<Bool>,
        presenting data: T?,
        @ViewBuilder actions: (T) -> A,
        @ViewBuilder message: (T) -> M
    ) -> some View {
        presenting(
            .alert,
            title,
            isPresented,
            data.map { SimulatedChild(actions($0)) },
            data.map { SimulatedChild(message($0)) }
        )
    }

    /// documentation/swiftui/view/confirmationdialog(_:ispresented:titlevisibility:actions:)
    nonisolated public func confirmationDialog<A: View>(
        _ titleKey: LocalizedStringKey,
        isPresented: Binding<Bool>,
        titleVisibility: Visibility = .automatic,
        @ViewBuilder actions: () -> A
    ) -> some View {
        presenting(.dialog, Text(titleKey), isPresented, SimulatedChild(actions()), SimulatedChild(EmptyView()))
    }

    /// documentation/swiftui/view/sheet(ispresented:ondismiss:content:)
    nonisolated public func sheet<Content: View>(
        isPresented: Binding<Bool>,
        onDismiss: (() -> Void)? = nil,
        @ViewBuilder content: @escaping () -> Content
    ) -> some View {
        changed("sheet") { scope, view in
            let below = view(scope)
            guard isPresented.wrappedValue else { return below }
            var inner = scope.child("content")
            inner.environment.setDismiss {
                isPresented.wrappedValue = false
                onDismiss?()
            }
            scope.host.presented.append(inner.container(.sheet, content()))
            return below
        }
    }

    nonisolated private func presenting(
        _ kind: SimulatedElement.Kind,
        _ title: Text,
        _ isPresented: Binding<Bool>,
        _ actions: SimulatedChild?,
        _ message: SimulatedChild?
    ) -> some View {
        changed(kind.rawValue) { scope, view in
            let below = view(scope)
            guard isPresented.wrappedValue, let actions, let message else { return below }
            var buttons = actions.elements(scope.child("actions"))
            // A dialog without a button has one.
            if buttons.isEmpty { buttons = [SimulatedElement(.button, "OK", in: scope)] }
            let host = scope.host
            for index in buttons.indices where buttons[index].kind == .button {
                let action = buttons[index].action
                buttons[index].action = {
                    if host.dismissal == .beforeAction { isPresented.wrappedValue = false }
                    action?()
                    if host.dismissal == .afterAction { isPresented.wrappedValue = false }
                }
            }
            var presented = SimulatedElement(kind, title.words(in: scope.environment), in: scope)
            presented.children = message.elements(scope.child("message")) + buttons
            scope.host.presented.append(presented)
            return below
        }
    }
}

/// documentation/swiftui/visibility
public enum Visibility: CaseIterable, Sendable { case automatic, visible, hidden }
