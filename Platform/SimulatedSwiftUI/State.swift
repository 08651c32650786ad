import Foundation
import Observation
import SimulatedPlatform

/// A property whose value comes from where its view stands (documentation/swiftui/dynamicproperty).
public protocol DynamicProperty {}

/// A value that a view keeps from one drawing to the next (documentation/swiftui/state).
@propertyWrapper public struct State<Value>: DynamicProperty {
    let slot: SimulatedSlot<Value>

    public init(wrappedValue value: Value) { slot = SimulatedSlot(value) }
    public init(initialValue value: Value) { slot = SimulatedSlot(value) }

    public var wrappedValue: Value {
        get { slot.value }
        nonmutating set { slot.value = newValue }
    }

    public var projectedValue: Binding<Value> {
        let slot = slot
        return Binding(get: { slot.value }, set: { slot.value = $0 })
    }
}

extension State where Value: ExpressibleByNilLiteral {
    public init() { self.init(wrappedValue: nil) }
}

extension State: Sendable where Value: Sendable {}

extension State: SimulatedInstallable {
    func install(in scope: SimulatedScope) { slot.install(in: scope) }
}

/// A state's value: its first one until the view is on the screen, then the one that is kept there.
final class SimulatedSlot<Value>: @unchecked Sendable {
    private var own: Value
    private var keeper: SimulatedSlot<Value>?
    private weak var host: SimulatedViewHost?

    init(_ value: Value) { own = value }

    var value: Value {
        get { keeper?.own ?? own }
        set {
            guard let keeper else {
                // The system drops it, too, and says so in its log.
                return SimulatedDevice.shared.violation("a state was set before its view was on the screen")
            }
            keeper.own = newValue
            let host = host
            if SimulatedDevice.shared.isOnMainQueue {
                MainActor.assumeIsolated { host?.invalidate() }
            } else {
                Task { @MainActor in host?.invalidate() }
            }
        }
    }

    @MainActor func install(in scope: SimulatedScope) {
        host = scope.host
        keeper = scope.host.keep(at: scope.path) { SimulatedSlot(own) }
    }
}

/// A way to a value that another view keeps (documentation/swiftui/binding).
@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    private let reading: @MainActor () -> Value
    private let writing: @MainActor (Value) -> Void

    /// The framework takes closures of any isolation and calls them where it draws; here they are the main actor's.
    @preconcurrency nonisolated public init(
        get: @escaping @MainActor @Sendable () -> Value,
        set: @escaping @MainActor @Sendable (Value) -> Void
    ) {
        reading = get
        writing = set
    }

    public static func constant(_ value: Value) -> Binding<Value> {
        nonisolated(unsafe) let value = value
        return Binding(get: { value }, set: { _ in })
    }

    public var wrappedValue: Value {
        get {
            nonisolated(unsafe) var value: Value?
            MainActor.assumeIsolated { value = reading() }
            guard let value else { preconditionFailure("A binding is read on the main actor.") }
            return value
        }
        nonmutating set {
            nonisolated(unsafe) let value = newValue
            MainActor.assumeIsolated { writing(value) }
        }
    }

    public var projectedValue: Binding<Value> { self }

    public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
        nonisolated(unsafe) let (binding, keyPath) = (self, keyPath)
        return Binding<Subject>(
            get: { binding.wrappedValue[keyPath: keyPath] },
            set: { binding.wrappedValue[keyPath: keyPath] = $0 }
        )
    }
}

extension Binding: @unchecked Sendable where Value: Sendable {}

/// Bindings to the properties of an observable object (documentation/swiftui/bindable).
@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, *)
@propertyWrapper @dynamicMemberLookup public struct Bindable<Value: AnyObject & Observable> {
    public var wrappedValue: Value

    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public init(_ wrappedValue: Value) { self.wrappedValue = wrappedValue }

    public var projectedValue: Bindable<Value> { self }

    public subscript<Subject>(
        dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>
    ) -> Binding<Subject> {
        nonisolated(unsafe) let (object, keyPath) = (wrappedValue, keyPath)
        return Binding<Subject>(get: { object[keyPath: keyPath] }, set: { object[keyPath: keyPath] = $0 })
    }
}
