#if canImport(SwiftUI)
    import Foundation
    import Testing

    /// The parts of the package that an app gets besides its code.
    @Suite("Delivery")
    struct DeliveryTests {
        private static let root = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../..").standardizedFileURL

        private static func sources() throws -> [URL] {
            let files = FileManager.default.enumerator(
                at: root.appending(path: "Sources"),
                includingPropertiesForKeys: nil
            )
            return (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
        }

        @Test("The privacy manifest declares no tracking and no data collection, and gives a reason for each API")
        func manifest() throws {
            let file = Self.root.appending(path: "Sources/Ostiary/PrivacyInfo.xcprivacy")
            let manifest = try #require(
                try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
                    as? [String: Any]
            )
            #expect(manifest["NSPrivacyTracking"] as? Bool == false)
            #expect((manifest["NSPrivacyTrackingDomains"] as? [String])?.isEmpty == true)
            #expect((manifest["NSPrivacyCollectedDataTypes"] as? [[String: Any]])?.isEmpty == true)
            let types = try #require(manifest["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
            #expect(
                types.map { $0["NSPrivacyAccessedAPIType"] as? String } == ["NSPrivacyAccessedAPICategoryFileTimestamp"]
            )
            #expect(types.map { $0["NSPrivacyAccessedAPITypeReasons"] as? [String] } == [["C617.1"]])
        }

        @Test("The concurrency checker is stepped round in two reviewed places of what an app links")
        func checked() throws {
            let files = try Self.sources()
            #expect(files.count > 100)
            let words = ["@unchecked Sendable", "nonisolated(unsafe)", "@preconcurrency import"]
            let places = try files.filter { file in
                try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                    .filter { !$0.drop { $0 == " " }.hasPrefix("//") }
                    .contains { line in words.contains { line.contains($0) } }
            }
            #expect(Set(places.map(\.lastPathComponent)) == ["Lock.swift", "Activations.swift"])
        }
    }
#endif
