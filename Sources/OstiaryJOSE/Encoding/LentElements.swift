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
