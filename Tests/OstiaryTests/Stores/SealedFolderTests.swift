import Foundation
import Testing

@testable import Ostiary

@Suite("The names in a folder of sealed values")
struct SealedFolderTests {
    @Test("A name is read within the record of its folder entry", arguments: [1, 7, 64, 255])
    func names(length: Int) throws {
        // The record ends where the memory does, as a record of readdir may.
        let page = Int(getpagesize())
        let memory = try #require(mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0))
        defer { munmap(memory, 2 * page) }
        #expect(mprotect(memory + page, page, PROT_NONE) == 0)
        let start = try #require(MemoryLayout<dirent>.offset(of: \.d_name))
        let alignment = MemoryLayout<dirent>.alignment
        let size = (start + length + 1 + alignment - 1) / alignment * alignment
        let record = memory + page - size
        let name = String(repeating: "n", count: length)
        let entry = record.assumingMemoryBound(to: dirent.self)
        entry.pointee.d_reclen = numericCast(size)
        (record + start).copyMemory(from: Array(name.utf8), byteCount: length)
        #expect(SealedFolder.name(of: entry) == name)
    }
}
