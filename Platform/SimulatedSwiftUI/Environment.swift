import Foundation
import Observation

/// The values that views inherit from those around them (documentation/swiftui/environmentvalues).
public struct EnvironmentValues: Sendable {
    nonisolated(unsafe) private var values: [ObjectIdentifier: Any] = [:]
    nonisolated(unsafe) private var objects: [ObjectIdentifier: AnyObject] = [:]

    public init() {}

    public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
        get { values[ObjectIdentifier(key)] as? K.Value ?? K.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }

    public subscript<T: AnyObject & Observable>(objectType: T.Type) -> T? {
        get { objects[ObjectIdentifier(objectType)] as? T }
        set { objects[ObjectIdentifier(objectType)] = newValue }
    }
}

/// Names a value of the environment (documentation/swiftui/environmentkey).
public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Self.Value { get }
}

/// Reads a value of the environment (documentation/swiftui/environment).
@propertyWrapper public struct Environment<Value>: DynamicProperty {
    private let read: (EnvironmentValues) -> Value?
    private let found = Found()

    private final class Found {
        var values = EnvironmentValues()
    }

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { read = { $0[keyPath: keyPath] } }

    /// An object that has to be there.
    public init(_ objectType: Value.Type) where Value: AnyObject, Value: Observable {
        read = { $0[objectType] }
    }

    /// An object that may be there.
    public init<T: AnyObject & Observable>(_ objectType: T.Type) where Value == T? {
        read = { .some($0[objectType]) }
    }

    public var wrappedValue: Value {
        guard let value = read(found.values) else {
            preconditionFailure("No Observable object of type \(Value.self) found.")
        }
        return value
    }
}

extension Environment: @unchecked Sendable where Value: Sendable {}

extension Environment: SimulatedInstallable {
    func install(in scope: SimulatedScope) { found.values = scope.environment }
}

extension View {
    /// documentation/swiftui/view/environment(_:_:)
    nonisolated public func environment<V>(
        _ keyPath: WritableKeyPath<EnvironmentValues, V>,
        _ value: V
    ) -> some View {
        nonisolated(unsafe) let (keyPath, value) = (keyPath, value)
        return changing { $0[keyPath: keyPath] = value }
    }

    /// documentation/swiftui/view/environment(_:)
    nonisolated public func environment<T: AnyObject & Observable>(_ object: T?) -> some View {
        nonisolated(unsafe) let object = object
        return changing { $0[T.self] = object }
    }
}
