#if canImport(LocalAuthentication) && !os(tvOS) && !os(watchOS)
    import SimulatedPlatform
    import SimulatedWorld
    import Testing

    @testable import Ostiary

    extension OnTheDevice {
        @Suite("The enrolled faces and fingers")
        struct EnrolmentTests {
            init() async {
                await freshDevice()
                device.with {
                    $0.biometry.kind = .faceID
                    $0.biometry.enrolled = true
                }
            }

            @Test("A face that is added is a change, on a newer system and on an older one")
            func added() throws {
                let before = (now: try #require(Enrolment.current()), older: try #require(Enrolment.evaluatedNow()))
                #expect(!before.now.hasChanged(to: before.now))
                #expect(Enrolment.evaluatedNow() == before.older)
                device.with { $0.biometry.enrollmentGeneration += 1 }
                #expect(before.now.hasChanged(to: try #require(Enrolment.current())))
                #expect(before.older.hasChanged(to: try #require(Enrolment.evaluatedNow())))
            }

            @Test("A different enrolment hash after a system update counts as no change")
            func update() throws {
                let older = try #require(Enrolment.evaluatedNow())
                let newer = try #require(Enrolment.current())
                #expect(!older.hasChanged(to: newer))
                #expect(!newer.hasChanged(to: older))
            }

            @Test("Locked-out biometry has no enrolment to compare")
            func lockedOut() {
                device.with { $0.biometry.lockedOut = true }
                #expect(Enrolment.current() == nil)
                #expect(Enrolment.evaluatedNow() == nil)
            }

            @Test("A stored enrolment reads back unchanged, and empty bytes are no enrolment")
            func stored() throws {
                let now = try #require(Enrolment.current())
                #expect(Enrolment(now.bytes) == now)
                #expect(Enrolment([]) == nil)
            }
        }
    }
#endif
