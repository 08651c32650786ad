#if canImport(UIKit) || canImport(AppKit)
    import Observation
    import Testing

    @testable import Ostiary

    /// The macro writes the name of its module, which a type of the same name in Ostiary would hide here.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    @Observable
    private final class ObservedBesideOstiary {
        var value = 0
    }

    @Suite("Observation beside Ostiary")
    struct ObservableTests {
        @Test("A change of an observable type is reported in a file that imports Ostiary's internals")
        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        func change() async {
            let observed = ObservedBesideOstiary()
            await confirmation { changed in
                withObservationTracking {
                    _ = observed.value
                } onChange: {
                    changed()
                }
                observed.value = 1
            }
        }
    }
#endif
