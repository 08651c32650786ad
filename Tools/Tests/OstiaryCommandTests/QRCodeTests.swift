import OstiaryCommand
import OstiaryJOSE
import Testing

@Suite("QR code", .fewAtOnce)
struct QRCodeTests {
    /// Drawn by another encoder.
    private static let drawing = """
        #######.#####.#.#.#######
        #.....#.##..#...#.#.....#
        #.###.#.#.#..###..#.###.#
        #.###.#...#.##..#.#.###.#
        #.###.#.#..##.#.#.#.###.#
        #.....#...#...#.#.#.....#
        #######.#.#.#.#.#.#######
        ..........#####.#........
        #..######..##.#.##..#.###
        .###.#.....##.##....####.
        ########.##....#...###..#
        .#..##..##....#.##...####
        ###.#.###......#..##....#
        #.#.#....##.##.##...#..#.
        ##.##.#.#.....##.##.#####
        #.##.#...##.#.#..###.##.#
        #.###.###.####..#####.##.
        ........#.##.#..#...#.##.
        #######.##..###.#.#.#...#
        #.....#.##.#.#.##...#...#
        #.###.#.#.###.#######....
        #.###.#.#.#.#.#####....##
        #.###.#..###.###....#####
        #.....#..###..#..#.##.###
        #######.#.###...###..#..#
        """

    @Test("A short address is drawn as the expected QR code")
    func short() throws {
        #expect(drawing(of: try #require(QRCode("https://a.example/device"))) == Self.drawing)
    }

    private static let page = "https://id.example.com/device?user_code=WDJB-MJHT"
    private static let digits = String(repeating: "0123456789", count: 21)

    @Test(
        "Longer addresses take larger versions, as another encoder draws them",
        arguments: [
            (0, 29, "14ff8853fcbfe7b868f747a566f8c2978f59fb983512da9b5da689aba9679aa1"),
            (50, 37, "9efee985c9059cb9897bc83d4f0a20f3fc8a9395b366ca5e401adf0c3398addb"),
            (90, 45, "58f81d7e2b4357fdf5a1af6d402d3ff744f110ac032b45a0bdd8df6da782f8c1"),
            (160, 53, "9cabc5a9f175000bbb1904ccfe7de45e9ccea1d768a3a8be3be74b510073845b"),
            (210, 57, "91fd4faf59c7095a2f4d01d9b219946e0ef9b005b13661ef2f00c6c2fea7a369"),
        ]
    )
    func longer(_ count: Int, _ size: Int, _ digest: String) throws {
        let digits = count == 0 ? "" : "&from=" + Self.digits.prefix(count) + (count == 210 ? "abcdef" : "")
        let code = try #require(QRCode(Self.page + digits))
        #expect(code.size == size)
        let text = drawing(of: code).replacing("#", with: "1").replacing(".", with: "0")
        let hash = HashAlgorithm.sha256.hash(Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        #expect(hash.joined() == digest)
    }

    @Test("A text of more than 271 bytes is not drawn as a QR code")
    func tooLong() {
        #expect(QRCode(String(repeating: "a", count: 271))?.size == 57)
        #expect(QRCode(String(repeating: "a", count: 272)) == nil)
    }

    @Test("A QR code in the terminal has two modules in a character and a margin of four")
    func lines() throws {
        let lines = try #require(QRCode("https://a.example/device")).lines
        #expect(lines.count == 17)
        #expect(lines.allSatisfy { $0.hasPrefix("\u{1B}[30;107m    ") && $0.hasSuffix("    \u{1B}[0m") })
        #expect(lines[2].contains("    █▀▀▀▀▀█ ██▀▀█ ▀ █ █▀▀▀▀▀█    "))
    }

    private func drawing(of code: QRCode) -> String {
        (0..<code.size).map { row in
            (0..<code.size).map { code.isDark(row: row, column: $0) ? "#" : "." }.joined()
        }.joined(separator: "\n")
    }
}
