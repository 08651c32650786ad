#if canImport(SwiftUI)
    import Foundation
    import Observation
    import SwiftUI

    #if canImport(UIKit)
        import UIKit
    #elseif canImport(AppKit)
        import AppKit
    #endif

    /// The parts of SwiftUI that the package and its example use, pinned to their types.
    ///
    /// The same text has to compile here and on a Mac.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    @MainActor
    enum SwiftUIProbes {
        @Observable
        final class Model {
            var isAsking = false
            var problem: String?
        }

        struct Keeping: View {
            @State private var model = Model()
            @State private var count: Int
            @Environment(\.locale) private var locale: Locale
            @Environment(\.scenePhase) private var scenePhase: ScenePhase
            @Environment(\.dynamicTypeSize) private var typeSize: DynamicTypeSize
            @Environment(\.dismiss) private var dismiss: DismissAction
            @Environment(\.openURL) private var openURL: OpenURLAction

            init(count: Int) { _count = State(initialValue: count) }

            var body: some View {
                @Bindable var model = model
                VStack(alignment: .leading, spacing: 8) {
                    Text(verbatim: locale.identifier).multilineTextAlignment(.center)
                    if typeSize.isAccessibilitySize { ProgressView() }
                    Button(action: { count += 1 }) { Label("More", systemImage: "plus") }
                        .buttonStyle(.borderedProminent)
                    Button("Close", role: .cancel) { dismiss() }
                }
                .onChange(of: scenePhase) { (_: ScenePhase, new: ScenePhase) in
                    if new == .active { count = 0 }
                }
                .alert(Text(verbatim: "Title"), isPresented: $model.isAsking, presenting: model.problem) { problem in
                    Button(problem, role: .destructive) {}
                } message: { (problem: String) in
                    Text(verbatim: problem)
                }
            }
        }

        static func opening(_ view: some View) -> some View {
            view
                .onOpenURL { (url: URL) in _ = url }
                .onContinueUserActivity(NSUserActivityTypeBrowsingWeb) { (activity: NSUserActivity) in
                    let page: URL? = activity.webpageURL
                    _ = page
                }
        }

        static func living(_ view: some View) -> some View {
            view.onAppear {}.onDisappear {}.task { await Task.yield() }.task(id: 1) { await Task.yield() }
        }

        static func spoken(_ view: some View) -> some View {
            view
                .accessibilityLabel(Text(verbatim: "label")).accessibilityHint(Text(verbatim: "hint"))
                .accessibilityValue(Text(verbatim: "value")).accessibilityIdentifier("identifier")
                .accessibilityAddTraits([.isButton, .updatesFrequently]).accessibilityHidden(false)
        }

        static func inherited(_ view: some View, _ model: Model) -> some View {
            view.environment(\.locale, Locale(identifier: "ko")).environment(model).disabled(true)
                .background { EmptyView() }.id(1)
        }

        static func listed() -> some View {
            NavigationStack {
                List {
                    ForEach(["a"], id: \.self) { name in NavigationLink(name) { Text(verbatim: name) } }
                    Section("Head") { Text("Row") }
                }
                .navigationTitle("List")
            }
        }

        struct Modifier: ViewModifier {
            func body(content: Content) -> some View { content.padding() }
        }

        #if canImport(UIKit) && !os(watchOS)
            struct Native: UIViewRepresentable {
                func makeUIView(context: Context) -> UIView { Probe() }
                func updateUIView(_ view: UIView, context: Context) {}
            }

            final class Probe: UIView {
                override func didMoveToWindow() {
                    super.didMoveToWindow()
                    let found: UIWindow? = window
                    _ = found
                }
            }
        #elseif canImport(AppKit)
            struct Native: NSViewRepresentable {
                func makeNSView(context: Context) -> NSView { Probe() }
                func updateNSView(_ view: NSView, context: Context) {}
            }

            final class Probe: NSView {
                override func viewDidMoveToWindow() {
                    super.viewDidMoveToWindow()
                    let found: NSWindow? = window
                    _ = found
                }
            }
        #endif

        struct Program: App {
            @State private var model = Model()
            var body: some Scene { WindowGroup { Text("Window").modifier(Modifier()) } }
        }

        struct Preview: PreviewProvider {
            static var previews: some View { Text("Preview") }
        }
    }
#endif
