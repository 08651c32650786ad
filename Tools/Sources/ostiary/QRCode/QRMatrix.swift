/// The modules of a code, drawn with one mask.
struct QRMatrix: Sendable, Hashable {
    let size: Int
    private var dark: [Bool]
    /// The modules without data: the patterns by which readers find and measure the code.
    private var isPattern: [Bool]

    /// Draws the patterns, the data and the mask.
    init(_ codewords: [UInt8], _ form: QRForm, _ mask: QRMask) {
        size = form.size
        dark = Array(repeating: false, count: form.size * form.size)
        isPattern = dark
        drawTiming()
        drawFinders()
        drawAlignment(of: form.version)
        drawFormat(form.correction, mask)
        drawVersion(form.version)
        draw(codewords, mask)
    }

    /// Whether a module is dark.
    subscript(_ row: Int, _ column: Int) -> Bool { dark[row * size + column] }

    private mutating func set(_ row: Int, _ column: Int, _ isDark: Bool) {
        guard (0..<size).contains(row), (0..<size).contains(column) else { return }
        dark[row * size + column] = isDark
        isPattern[row * size + column] = true
    }

    private mutating func drawTiming() {
        for position in 0..<size {
            set(6, position, position % 2 == 0)
            set(position, 6, position % 2 == 0)
        }
    }

    /// Three squares in corners, each with a light border.
    private mutating func drawFinders() {
        for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] {
            drawSquare(row, column, reach: 4) { $0 != 2 && $0 != 4 }
        }
    }

    /// Small squares at each crossing of these lines but those where finders are. (ISO/IEC 18004 annex E)
    private mutating func drawAlignment(of version: Int) {
        guard version > 1 else { return }
        let (first, last) = (6, size - 7)
        let lines = version < 7 ? [first, last] : [first, (size - 1) / 2, last]
        let finders = [[first, first], [first, last], [last, first]]
        for row in lines {
            for column in lines where !finders.contains([row, column]) {
                drawSquare(row, column, reach: 2) { $0 != 1 }
            }
        }
    }

    /// Rings around a module.
    private mutating func drawSquare(_ row: Int, _ column: Int, reach: Int, _ isDark: (Int) -> Bool) {
        for rise in -reach...reach {
            for run in -reach...reach { set(row + rise, column + run, isDark(max(abs(rise), abs(run)))) }
        }
    }

    /// Error correction and mask, twice. (ISO/IEC 18004 section 7.9)
    private mutating func drawFormat(_ correction: QRForm.Correction, _ mask: QRMask) {
        let value = correction.indicator << 3 | mask.rawValue
        let bits = Self.protected(value, by: 0b101_0011_0111, degree: 10) ^ 0b101_0100_0001_0010
        for position in 0..<15 {
            let isDark = bits >> position & 1 == 1
            // Around the first finder, where the timing patterns are stepped over.
            let along = position < 6 ? position : position < 8 ? position + 1 : 14 - position
            if position < 8 { set(along, 8, isDark) } else { set(8, position == 8 ? 7 : along, isDark) }
            // Along the other two.
            if position < 8 { set(8, size - 1 - position, isDark) } else { set(size - 15 + position, 8, isDark) }
        }
        // Dark in every code.
        set(size - 8, 8, true)
    }

    /// The version, twice, from the seventh on. (ISO/IEC 18004 section 7.10)
    private mutating func drawVersion(_ version: Int) {
        guard version >= 7 else { return }
        let bits = Self.protected(version, by: 0b1_1111_0010_0101, degree: 12)
        for position in 0..<18 {
            let isDark = bits >> position & 1 == 1
            set(position / 3, size - 11 + position % 3, isDark)
            set(size - 11 + position % 3, position / 3, isDark)
        }
    }

    /// A value, and the remainder of its division by a polynomial behind it.
    private static func protected(_ value: Int, by polynomial: Int, degree: Int) -> Int {
        var rest = value << degree
        while rest >> degree != 0 { rest ^= polynomial << (rest.bitWidth - rest.leadingZeroBitCount - 1 - degree) }
        return value << degree | rest
    }

    /// Fills the remaining modules, two columns at a time, up and down from the right. (ISO/IEC 18004 section 7.7.3)
    private mutating func draw(_ codewords: [UInt8], _ mask: QRMask) {
        var position = 0
        var goesUp = true
        // The column of the timing pattern is stepped over.
        let pairs = stride(from: size - 1, to: 6, by: -2).map { $0 } + [5, 3, 1]
        for right in pairs {
            for step in 0..<size {
                let row = goesUp ? size - 1 - step : step
                for column in [right, right - 1] where !isPattern[row * size + column] {
                    let byte = position / 8 < codewords.count ? codewords[position / 8] : 0
                    let isDark = byte >> UInt8(7 - position % 8) & 1 == 1
                    dark[row * size + column] = isDark != mask.inverts(row: row, column: column)
                    position += 1
                }
            }
            goesUp.toggle()
        }
    }
}
