import Foundation
import Observation
import SimulatedPlatform
import SwiftUI
import Testing

extension OnTheDevice {
    /// The behavior that the tests of the views rely on.
    @Suite("The stand-in of SwiftUI", .timeLimit(.minutes(5)))
    @MainActor
    struct StandInTests {
        private struct Counter: View {
            @State private var count = 0
            var body: some View {
                VStack {
                    Text("\(count)")
                    Button("More") { count += 1 }
                }
            }
        }

        @Test("The stand-in host keeps a view's state between drawings, separately for each place")
        func state() throws {
            let host = SimulatedViewHost(
                HStack {
                    Counter(); Counter()
                }
            )
            #expect(throws: SimulatedViewError.severalElements("More")) { try host.tap("More") }
            let one = SimulatedViewHost(Counter())
            try one.tap("More")
            try one.tap("More")
            #expect(one.texts == ["2", "More"] && host.texts.first == "0")
        }

        private struct Branches: View {
            @State private var isFirst = true
            var body: some View {
                Button("Other") { isFirst.toggle() }
                if isFirst { Counter() } else { Text("none") }
            }
        }

        @Test("The stand-in host discards a view's state when the view disappears")
        func branches() throws {
            let host = SimulatedViewHost(Branches())
            try host.tap("More")
            #expect(host.texts.contains("1"))
            try host.tap("Other")
            try host.tap("Other")
            #expect(host.texts.contains("0"))
        }

        @MainActor @Observable fileprivate final class Model {
            var name = "before"
            var other = 0
        }

        @Test("The stand-in host redraws for a change of an observed property, and for no other")
        func observation() {
            let model = Model()
            let host = SimulatedViewHost(Named(model: model))
            let passes = host.passes
            model.other += 1
            #expect(host.texts == ["before"] && host.passes == passes)
            model.name = "after"
            #expect(host.texts == ["after"] && host.passes == passes + 1)
        }

        @Test("The stand-in host redraws after a change without being polled")
        func observationAlone() async {
            let model = Model()
            let host = SimulatedViewHost(Named(model: model))
            Task { model.name = "later" }
            await host.until { $0.texts == ["later"] }
        }

        private struct Named: View {
            let model: Model
            var body: some View { Text(verbatim: model.name) }
        }

        private struct Working: View {
            let log: (String) -> Void
            @State private var isThere = true
            var body: some View {
                Button("Toggle") { isThere.toggle() }
                if isThere {
                    Text("work").onAppear { log("came") }.onDisappear { log("went") }
                        .task {
                            do { try await Task.sleep(for: .seconds(3600)) } catch { log("cancelled") }
                        }
                }
            }
        }

        @Test("The stand-in host cancels a view's task when the view disappears")
        func task() async throws {
            let (lines, said) = AsyncStream<String>.makeStream()
            let host = SimulatedViewHost(Working(log: { said.yield($0) }))
            var seen: [String] = []
            for await line in lines {
                seen.append(line)
                if seen.count == 1 { try host.tap("Toggle") }
                if seen.count == 3 { break }
            }
            #expect(Set(seen) == ["came", "went", "cancelled"] && seen.first == "came")
        }

        @Test("A state set before its view is on the screen is dropped and reported as a violation")
        func earlyState() {
            SimulatedDevice.shared.reset()
            let state = State(initialValue: 1)
            state.wrappedValue = 2
            #expect(state.wrappedValue == 1)
            #expect(
                SimulatedDevice.shared.snapshot.violations == ["a state was set before its view was on the screen"]
            )
            SimulatedDevice.shared.reset()
        }

        private struct Covered: View {
            @State private var isAsking = false
            @State private var isSheet = false
            var body: some View {
                Button("Ask") { isAsking = true }
                    .alert("Really?", isPresented: $isAsking) {
                        Button("Yes", role: .destructive) { isSheet = true }
                        Button("No", role: .cancel) {}
                    } message: {
                        Text("It is for good.")
                    }
                    .sheet(isPresented: $isSheet) { Sheet() }
            }
        }

        private struct Sheet: View {
            @Environment(\.dismiss) private var dismiss
            var body: some View { Button("Done") { dismiss() } }
        }

        @Test("An alert covers the view below it, and a button dismisses it")
        func alert() throws {
            let host = SimulatedViewHost(Covered())
            try host.tap("Ask")
            #expect(host.alert?.text == "Really?" && host.buttons == ["Yes", "No"])
            #expect(throws: SimulatedViewError.covered("Ask")) { try host.tap("Ask") }
            try host.tap("Yes")
            #expect(host.alert == nil && host.buttons == ["Done"])
            try host.tap("Done")
            #expect(host.buttons == ["Ask"])
        }

        private struct Writing: View {
            @State private var name = ""
            @State private var isOn = false
            var body: some View {
                Form {
                    Section("You") {
                        TextField("Name", text: $name)
                        Toggle("Remember", isOn: $isOn)
                    }
                    Button("Send") {}.disabled(name.isEmpty)
                }
                .navigationTitle("Form")
            }
        }

        @Test("The stand-in host types into fields, switches toggles, and rejects taps on disabled buttons")
        func fields() throws {
            let host = SimulatedViewHost(NavigationStack { Writing() })
            #expect(throws: SimulatedViewError.disabled("Send")) { try host.tap("Send") }
            try host.type("Ada", into: "Name")
            try host.tap("Remember")
            try host.tap("Send")
            #expect(host.elements.first { $0.kind == .toggle }?.accessibility.value == "1")
            #expect(throws: SimulatedViewError.noSuchElement("Nobody")) { try host.tap("Nobody") }
        }

        @Test("A navigation link opens its screen, and the back button returns")
        func navigation() throws {
            let host = SimulatedViewHost(
                NavigationStack { List { NavigationLink("Counter") { Counter() } } }
            )
            try host.tap("Counter")
            try host.tap("More")
            #expect(host.texts.contains("1"))
            try host.tap("Back")
            #expect(host.buttons == ["Counter"])
        }

        @Test("A localized text is looked up with its interpolated values")
        func interpolation() {
            let key: LocalizedStringKey = "Hello \("Ada"), \(3) new, 100 %"
            #expect(SimulatedViewHost(Text(key)).texts == ["Hello Ada, 3 new, 100 %"])
        }

        @Test("Several handlers of one kind all get a URL")
        func urls() throws {
            let (urls, seen) = AsyncStream<String>.makeStream()
            let host = SimulatedViewHost(
                Text("a").onOpenURL { seen.yield("inner \($0)") }.onOpenURL { seen.yield("outer \($0)") }
            )
            #expect(host.open(try #require(URL(string: "app:/x"))))
            seen.finish()
            Task {
                var all: Set<String> = []
                for await url in urls { all.insert(url) }
                #expect(all == ["inner app:/x", "outer app:/x"])
            }
        }
    }
}
