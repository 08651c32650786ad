/// The pattern of inverted data modules, so that no large area is of one colour.
///
/// (ISO/IEC 18004 table 10)
enum QRMask: Int, CaseIterable, Sendable {
    case checkerboard, rows, columns, diagonals, bricks, flowers, lattice, weave

    func inverts(row: Int, column: Int) -> Bool {
        let product = row * column
        return switch self {
        case .checkerboard: (row + column) % 2 == 0
        case .rows: row % 2 == 0
        case .columns: column % 3 == 0
        case .diagonals: (row + column) % 3 == 0
        case .bricks: (row / 2 + column / 3) % 2 == 0
        case .flowers: product % 2 + product % 3 == 0
        case .lattice: (product % 2 + product % 3) % 2 == 0
        case .weave: ((row + column) % 2 + product % 3) % 2 == 0
        }
    }
}
