/// The size of a code, and the share of it that corrects errors.
struct QRForm: Sendable {
    /// The level of error correction.
    enum Correction: Sendable {
        /// About 7 %.
        case low
        /// About 15 %.
        case medium

        /// As the format information names it. (ISO/IEC 18004 table 12)
        var indicator: Int {
            switch self {
            case .low: 0b01
            case .medium: 0b00
            }
        }
    }

    let version: Int
    let correction: Correction

    var size: Int { 17 + 4 * version }

    /// The form for so many bytes; `nil` when ten versions do not hold them.
    static func smallest(for count: Int) -> QRForm? {
        for version in 1...10 {
            for correction in [Correction.medium, .low] {
                let form = QRForm(version: version, correction: correction)
                if form.headerBits + 8 * count <= 8 * form.dataCount { return form }
            }
        }
        return nil
    }

    /// Data and error correction in the order in which they are drawn. (ISO/IEC 18004 sections 7.4 to 7.6)
    func codewords(of bytes: [UInt8]) -> [UInt8] {
        let data = data(of: bytes)
        let (count, correctionCount) = blocks
        let short = dataCount / count
        let longCount = dataCount % count
        var blocks: [(data: [UInt8], correction: [UInt8])] = []
        var start = 0
        for index in 0..<count {
            let end = start + short + (index < count - longCount ? 0 : 1)
            let block = Array(data[start..<end])
            blocks.append((block, ReedSolomon.remainder(of: block, count: correctionCount)))
            start = end
        }
        return Self.interleaved(blocks.map(\.data)) + Self.interleaved(blocks.map(\.correction))
    }

    private func data(of bytes: [UInt8]) -> [UInt8] {
        var bits = QRBits()
        bits.append(0b0100, count: 4)
        bits.append(bytes.count, count: headerBits - 4)
        for byte in bytes { bits.append(Int(byte), count: 8) }
        bits.append(0, count: min(4, 8 * dataCount - bits.count))
        var data = bits.bytes
        var filler: UInt8 = 0xEC
        while data.count < dataCount {
            data.append(filler)
            filler ^= 0xEC ^ 0x11
        }
        return data
    }

    private static func interleaved(_ blocks: [[UInt8]]) -> [UInt8] {
        (0..<(blocks.map(\.count).max() ?? 0)).flatMap { position in
            blocks.compactMap { position < $0.count ? $0[position] : nil }
        }
    }

    /// The mode and the length of the text.
    private var headerBits: Int { version < 10 ? 12 : 20 }

    private var dataCount: Int { Self.totals[version - 1] - blocks.count * blocks.correction }

    /// The number of blocks, and the number of error correction codewords in each.
    ///
    /// (ISO/IEC 18004 table 9)
    private var blocks: (count: Int, correction: Int) {
        switch correction {
        case .low: Self.low[version - 1]
        case .medium: Self.medium[version - 1]
        }
    }

    private static let totals = [26, 44, 70, 100, 134, 172, 196, 242, 292, 346]
    private static let low = [
        (1, 7), (1, 10), (1, 15), (1, 20), (1, 26), (2, 18), (2, 20), (2, 24), (2, 30), (4, 18),
    ]
    private static let medium = [
        (1, 10), (1, 16), (1, 26), (2, 18), (2, 24), (4, 16), (4, 18), (4, 22), (5, 22), (5, 26),
    ]
}

/// Bits, the most significant first.
struct QRBits {
    private(set) var count = 0
    private(set) var bytes: [UInt8] = []

    mutating func append(_ value: Int, count length: Int) {
        for position in (0..<length).reversed() {
            if count % 8 == 0 { bytes.append(0) }
            if value >> position & 1 == 1 { bytes[count / 8] |= 0x80 >> UInt8(count % 8) }
            count += 1
        }
    }
}
