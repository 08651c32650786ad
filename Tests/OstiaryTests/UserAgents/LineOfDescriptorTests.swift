#if os(Linux) || os(macOS)
    import Foundation
    import Ostiary
    import Testing

    @Suite("A line of a file descriptor")
    struct LineOfDescriptorTests {
        @Test(
            "A line ends at its line feed, with or without a carriage return",
            arguments: [("one\n", "one"), ("one\r\n", "one"), ("one", "one"), ("\n", ""), ("one\rtwo\n", "one\rtwo")]
        )
        func end(input: String, line: String) async throws {
            let pipe = try InputPipe(input, isOpen: false)
            #expect(await ManualUserAgent.line(from: pipe.reading) == line)
        }

        @Test("The text after a line is left for the next reader")
        func next() async throws {
            let pipe = try InputPipe("one\ntwo\n", isOpen: false)
            #expect(await ManualUserAgent.line(from: pipe.reading) == "one")
            #expect(await ManualUserAgent.line(from: pipe.reading) == "two")
        }

        @Test("An input that ends has no line")
        func nothing() async throws {
            let pipe = try InputPipe("", isOpen: false)
            #expect(await ManualUserAgent.line(from: pipe.reading) == nil)
        }

        @Test("A line over the limit keeps its first 65,537 bytes")
        func long() async throws {
            let file = FileManager.default.temporaryDirectory.appending(path: "line-\(UUID().uuidString)")
            try Data(String(repeating: "a", count: 70_000).utf8 + Array("\nb\n".utf8)).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let handle = try FileHandle(forReadingFrom: file)
            #expect(await ManualUserAgent.line(from: handle.fileDescriptor)?.utf8.count == 65_537)
            #expect(await ManualUserAgent.line(from: handle.fileDescriptor) == "b")
        }

        @Test("Cancelling the task ends the wait for an input that stays open")
        func cancelled() async throws {
            let pipe = try InputPipe("half a line", isOpen: true)
            let task = Task { await ManualUserAgent.line(from: pipe.reading) }
            task.cancel()
            #expect(await task.value == nil)
        }
    }

    /// A pipe with some text in it.
    private final class InputPipe: Sendable {
        let reading: Int32
        private let writing: Int32

        init(_ text: String, isOpen: Bool) throws {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            (reading, writing) = (ends[0], isOpen ? ends[1] : -1)
            let bytes = Array(text.utf8)
            try #require(bytes.isEmpty || write(ends[1], bytes, bytes.count) == bytes.count)
            if !isOpen { close(ends[1]) }
        }

        deinit {
            close(reading)
            if writing >= 0 { close(writing) }
        }
    }
#endif
