extension QRMatrix {
    /// The penalty for features that make the code hard to read: the sum of four.
    ///
    /// (ISO/IEC 18004 section 7.8.3)
    var penalty: Int {
        let rows = (0..<size).map { row in (0..<size).map { self[row, $0] } }
        let columns = (0..<size).map { column in (0..<size).map { self[$0, column] } }
        let lines = rows + columns
        return lines.reduce(0) { $0 + Self.runs(in: $1) + Self.finders(in: $1) } + squares + imbalance
    }

    /// Five or more modules of one colour in a line.
    private static func runs(in line: [Bool]) -> Int {
        line.split(omittingEmptySubsequences: true) { !$0 }.map(\.count).reduce(0) { $0 + run($1) }
            + line.split(omittingEmptySubsequences: true) { $0 }.map(\.count).reduce(0) { $0 + run($1) }
    }

    private static func run(_ length: Int) -> Int { length >= 5 ? length - 2 : 0 }

    /// Counts the patterns that resemble a finder, with light on one side.
    private static func finders(in line: [Bool]) -> Int {
        let light = [Bool](repeating: false, count: 4)
        let finder = [true, false, true, true, true, false, true]
        return [finder + light, light + finder].reduce(0) { sum, pattern in
            let starts = 0...(line.count - pattern.count)
            return sum + 40 * starts.count { line[$0..<($0 + pattern.count)].elementsEqual(pattern) }
        }
    }

    /// Blocks of two by two modules of one colour.
    private var squares: Int {
        var count = 0
        for row in 1..<size {
            for column in 1..<size {
                let corner = self[row, column]
                if self[row - 1, column] == corner, self[row, column - 1] == corner, self[row - 1, column - 1] == corner
                {
                    count += 1
                }
            }
        }
        return 3 * count
    }

    /// The difference between the share of dark modules and a half, in steps of 5 %.
    private var imbalance: Int {
        let total = size * size
        let dark = (0..<total).count { self[$0 / size, $0 % size] }
        return 10 * (abs(20 * dark - 10 * total) / total)
    }
}
