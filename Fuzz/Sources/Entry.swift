import Foundation

/// The target that the environment names; libFuzzer owns the arguments.
private let target = FuzzTarget.all.first { $0.name == ProcessInfo.processInfo.environment["FUZZ_TARGET"] }

/// Called once, before the first input: without a target it prints the names of all of them.
@_cdecl("LLVMFuzzerInitialize")
func initialize(_: UnsafeMutableRawPointer, _: UnsafeMutableRawPointer) -> CInt {
    if target == nil {
        print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
        exit(0)
    }
    return 0
}

/// Called with each input.
@_cdecl("LLVMFuzzerTestOneInput")
func test(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target?.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
