/// The moduli of RSA keys that must not be used.
enum RSAModulus {
    /// Whether the modulus has the form of keys that chips of one vendor made until 2017 and that can be factored.
    ///
    /// Each of their primes is a power of 65537 modulo the product of the first primes, and so is the modulus. One in
    /// 240 million other moduli has that form by chance. (CVE-2017-15361; Nemec, Sys, Svenda, Klinec, Matyas: "The
    /// Return of Coppersmith's Attack", 2017, section 4.1)
    ///
    /// `modulus` has the highest byte first.
    static func canBeFactored(_ modulus: [UInt8]) -> Bool {
        subgroups.allSatisfy { subgroup in
            let prime = subgroup.prime
            let remainder = modulus.reduce(0 as UInt32) { ($0 << 8 | UInt32($1)) % prime }
            return power(remainder, subgroup.order, modulo: prime) == 1
        }
    }

    /// The primes modulo which not every number is a power of 65537, each with the number of those that are.
    private static let subgroups: [(prime: UInt32, order: UInt32)] = {
        let primes: [UInt32] = [11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157]
        return primes.map { prime in
            var order: UInt32 = 1
            while power(65_537 % prime, order, modulo: prime) != 1 { order += 1 }
            return (prime, order)
        }
    }()

    private static func power(_ base: UInt32, _ exponent: UInt32, modulo prime: UInt32) -> UInt32 {
        (0..<exponent).reduce(1) { product, _ in product * base % prime }
    }
}
