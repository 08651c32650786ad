import Foundation
import SimulatedFoundation
import SimulatedPlatform

extension View {
    /// documentation/swiftui/view/onopenurl(perform:)
    nonisolated public func onOpenURL(perform action: @escaping (URL) -> Void) -> some View {
        changed("onOpenURL") { scope, content in
            scope.host.urlActions.append(action)
            return content(scope)
        }
    }

    /// documentation/swiftui/view/oncontinueuseractivity(_:perform:)
    nonisolated public func onContinueUserActivity(
        _ activityType: String,
        perform action: @escaping (NSUserActivity) -> Void
    ) -> some View {
        changed("onContinueUserActivity") { scope, content in
            scope.host.activityActions.append((activityType, action))
            return content(scope)
        }
    }
}

/// Opens an address (documentation/swiftui/openurlaction).
@MainActor @preconcurrency public struct OpenURLAction: Sendable {
    public struct Result: Sendable, Equatable {
        let name: String
        let url: URL?
        public static let handled = Result(name: "handled", url: nil)
        public static let discarded = Result(name: "discarded", url: nil)
        public static let systemAction = Result(name: "systemAction", url: nil)
        public static func systemAction(_ url: URL) -> Result { Result(name: "systemAction", url: url) }
    }
    nonisolated(unsafe) private let handler: @MainActor (URL) -> Result

    @preconcurrency nonisolated public init(handler: @escaping @MainActor (URL) -> Result) { self.handler = handler }

    public func callAsFunction(_ url: URL) {
        let result = handler(url)
        guard result.name == "systemAction" else { return }
        SimulatedDevice.shared.with { $0.openedURLs.append(result.url ?? url) }
    }
}
