#if canImport(AppKit) && !canImport(UIKit)
    import Ostiary
    import Testing

    @Suite("Time in the background on a Mac")
    struct MacBackgroundTimeTests {
        @Test("A Mac suspends no app, and gives all the time there is")
        func mac() async throws {
            let hold = try #require(
                await SystemBackgroundTime().begin("Renewing") { Issue.record("The time of a Mac's app was up.") }
            )
            hold.release()
        }
    }
#endif
