/// Error correction over the field of 256 elements that QR codes use. (ISO/IEC 18004 section 7.5.2)
enum ReedSolomon {
    /// The error correction codewords of a block: the remainder of its division by the generator polynomial.
    static func remainder(of data: [UInt8], count: Int) -> [UInt8] {
        let divisor = generator(degree: count)
        var remainder = [UInt8](repeating: 0, count: count)
        for byte in data {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for (index, coefficient) in divisor.enumerated() { remainder[index] ^= product(coefficient, factor) }
        }
        return remainder
    }

    /// The product of (x − 2⁰)…(x − 2ⁿ⁻¹) without its leading 1, the highest power first.
    private static func generator(degree: Int) -> [UInt8] {
        var polynomial: [UInt8] = [1]
        var root: UInt8 = 1
        for _ in 0..<degree {
            var next = polynomial + [0]
            for (index, coefficient) in polynomial.enumerated() { next[index + 1] ^= product(coefficient, root) }
            polynomial = next
            root = product(root, 2)
        }
        return Array(polynomial.dropFirst())
    }

    /// The product of two elements modulo x⁸ + x⁴ + x³ + x² + 1.
    private static func product(_ first: UInt8, _ second: UInt8) -> UInt8 {
        var (first, second, product) = (first, second, UInt8(0))
        while second != 0 {
            if second & 1 == 1 { product ^= first }
            first = first << 1 ^ (first & 0x80 == 0 ? 0 : 0x1D)
            second >>= 1
        }
        return product
    }
}
