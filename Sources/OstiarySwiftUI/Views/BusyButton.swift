#if canImport(SwiftUI)
    import SwiftUI

    /// A button that shows and says that it waits.
    struct BusyButton: View {
        let title: String
        /// What it waits for; `nil` when it does not.
        let waiting: String?
        let action: @MainActor () -> Void
        @Environment(\.dynamicTypeSize) private var typeSize

        var body: some View {
            Button(action: action) {
                // The largest sizes need the whole width for the words.
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
