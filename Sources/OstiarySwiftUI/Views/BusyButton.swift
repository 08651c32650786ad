#if canImport(SwiftUI)
    import SwiftUI

    /// A button that shows and announces that it is waiting.
    struct BusyButton: View {
        let title: String
        /// The text while the button waits; `nil` while it does not.
        let waiting: String?
        let action: @MainActor () -> Void
        @Environment(\.dynamicTypeSize) private var typeSize

        var body: some View {
            Button(action: action) {
                // The largest sizes need the whole width for the text.
                if typeSize.isAccessibilitySize {
                    VStack { parts }
                } else {
                    HStack { parts }
                }
            }
            .accessibilityLabel(Text(verbatim: title))
            .accessibilityValue(Text(verbatim: waiting ?? ""))
            .accessibilityAddTraits(waiting == nil ? [] : .updatesFrequently)
        }

        @ViewBuilder
        private var parts: some View {
            if waiting != nil { ProgressView().accessibilityHidden(true) }
            Text(verbatim: waiting ?? title).multilineTextAlignment(.center)
        }
    }
#endif
