import Foundation

extension SimulatedDevice {
    /// The answers of DeviceCheck's App Attest, and the keys that it made.
    public struct AppAttest: Sendable {
        /// Whether the device and the kind of process can do it.
        public var isSupported = true
        /// Whether Apple's server can be reached, which only attesting needs.
        public var serverIsReachable = true
        /// The device's keys by their identifiers; they do not outlive the app, nor move to another device.
        public var keys: [String: Key] = [:]

        public struct Key: Sendable {
            public let secret: any AnyObject & Sendable
            public var isAttested = false
            public var counter: UInt32 = 0
            public init(secret: any AnyObject & Sendable) { self.secret = secret }
        }

        public init() {}
    }
}
