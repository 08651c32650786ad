// The standard library's own `span` properties need iOS 26 and macOS 26; the types do not.

extension Array {
    /// Reads the elements in their place.
    @inline(__always)
    func withSpan<Output, Failure: Error>(_ body: (Span<Element>) throws(Failure) -> Output) throws(Failure) -> Output {
        try withUnsafeBufferPointer { (elements) throws(Failure) in try body(Span(_unsafeElements: elements)) }
    }

    /// Changes the elements in their place.
    @inline(__always)
    mutating func withMutableSpan<Output, Failure: Error>(
        _ body: (inout MutableSpan<Element>) throws(Failure) -> Output
    ) throws(Failure) -> Output {
        try withUnsafeMutableBufferPointer { (elements) throws(Failure) in
            var span = MutableSpan(_unsafeElements: elements)
            return try body(&span)
        }
    }
}

extension ArraySlice {
    /// Reads the elements in their place.
    @inline(__always)
    func withSpan<Output, Failure: Error>(_ body: (Span<Element>) throws(Failure) -> Output) throws(Failure) -> Output {
        try withUnsafeBufferPointer { (elements) throws(Failure) in try body(Span(_unsafeElements: elements)) }
    }
}
