import SimulatedPlatform

/// documentation/uikit/uiaccessibility
@available(watchOS, unavailable)
public enum UIAccessibility {
    /// True in Guided Access and in a managed device's single app mode (Technical Note TN2448).
    @MainActor public static var isGuidedAccessEnabled: Bool { SimulatedDevice.shared.snapshot.web.isSingleAppMode }
}
