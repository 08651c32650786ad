/// The elements of an array in their place, lent for as long as a closure runs and never kept after it.
///
/// It checks every position, as `Span` does. `Span` would need a library beside the app on systems before iOS 26 and
/// macOS 26.
struct LentElements<Element> {
    private let elements: UnsafeBufferPointer<Element>

    /// For ``Swift/Array/withElements(_:)`` and its like alone: they know how long the elements stay.
    @inline(__always)
    fileprivate init(_ elements: UnsafeBufferPointer<Element>) { self.elements = elements }

    @inline(__always)
    var count: Int { elements.count }

    @inline(__always)
    subscript(_ position: Int) -> Element {
        // An unsafe buffer checks its bounds in debug builds alone.
        precondition(
            UInt(bitPattern: position) < UInt(bitPattern: elements.count),
            "a position outside of the elements"
        )
        return elements[position]
    }

    /// The element at a position that the caller knows to be within the bounds.
    @inline(__always)
    subscript(unchecked position: Int) -> Element { elements[position] }
}

extension LentElements<UInt8> {
    /// The eight bytes that begin at a position, in the machine's order.
    @inline(__always)
    func word(at position: Int) -> UInt64 {
        precondition(position >= 0 && position <= elements.count - 8, "eight bytes outside of the elements")
        return UnsafeRawBufferPointer(elements).loadUnaligned(fromByteOffset: position, as: UInt64.self)
    }

    /// Whether both are the same bytes.
    @inline(__always)
    func isSame(as other: LentElements<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var at = 0
        while at &+ 8 <= count {
            if word(at: at) != other.word(at: at) { return false }
            at &+= 8
        }
        while at < count {
            if self[at] != other[at] { return false }
            at &+= 1
        }
        return true
    }
}

/// Searches of eight bytes at a time.
///
/// A subtraction from each of them sets the top bit of a byte below the limit, and borrows from the next byte only where
/// it does. So the lowest mark is exact.
extension LentElements<UInt8> {
    /// The first position from `start` on that has this byte; `nil` for none.
    @inline(__always)
    func position(of byte: UInt8, from start: Int) -> Int? {
        let pattern = Self.ones &* UInt64(byte)
        func marks(_ at: Int) -> UInt64 { Self.zeros(in: text(at: at) ^ pattern) }
        var at = start
        while at &+ 32 <= count, (marks(at) | marks(at &+ 8) | marks(at &+ 16) | marks(at &+ 24)) & Self.tops == 0 {
            at &+= 32
        }
        while at &+ 8 <= count {
            let found = marks(at) & Self.tops
            if found != 0 { return at &+ found.trailingZeroBitCount / 8 }
            at &+= 8
        }
        while at < count {
            if self[at] == byte { return at }
            at &+= 1
        }
        return nil
    }

    /// The end of the JSON text from `start` on that a string holds as it is: the position of the first quotation mark,
    /// backslash, control character or byte beyond ASCII, or the number of elements.
    @inline(__always)
    func endOfPlainText(from start: Int) -> Int {
        let quotes = Self.ones &* UInt64(ASCII.quote)
        let backslashes = Self.ones &* UInt64(ASCII.backslash)
        var at = start
        while at &+ 8 <= count {
            let text = self.text(at: at)
            let controls = (text &- Self.ones &* 0x20) & ~text
            let others = Self.zeros(in: text ^ quotes) | Self.zeros(in: text ^ backslashes)
            let found = (text | controls | others) & Self.tops
            if found != 0 { return at &+ found.trailingZeroBitCount / 8 }
            at &+= 8
        }
        while at < count {
            let byte = self[at]
            if byte < 0x20 || byte >= 0x80 || byte == ASCII.quote || byte == ASCII.backslash { return at }
            at &+= 1
        }
        return at
    }

    /// Eight bytes, the first of them lowest.
    @inline(__always)
    private func text(at position: Int) -> UInt64 { UInt64(littleEndian: word(at: position)) }

    /// Marks the bytes that are zero, in their top bits; the other bits mean nothing.
    @inline(__always)
    private static func zeros(in word: UInt64) -> UInt64 { (word &- ones) & ~word }

    private static var ones: UInt64 { 0x0101_0101_0101_0101 }
    private static var tops: UInt64 { 0x8080_8080_8080_8080 }
}

extension Array {
    /// Reads the elements in their place.
    @inline(__always)
    func withElements<Output, Failure: Error>(
        _ body: (LentElements<Element>) throws(Failure) -> Output
    ) throws(Failure) -> Output {
        try withUnsafeBufferPointer { (elements) throws(Failure) in try body(LentElements(elements)) }
    }
}

extension ArraySlice {
    /// Reads the elements in their place; the first of them has the position 0.
    @inline(__always)
    func withElements<Output, Failure: Error>(
        _ body: (LentElements<Element>) throws(Failure) -> Output
    ) throws(Failure) -> Output {
        try withUnsafeBufferPointer { (elements) throws(Failure) in try body(LentElements(elements)) }
    }
}

extension String {
    /// Reads the bytes in UTF-8 in their place.
    @inline(__always)
    func withElements<Output>(_ body: (LentElements<UInt8>) -> Output) -> Output {
        var text = self
        return text.withUTF8 { body(LentElements($0)) }
    }
}
