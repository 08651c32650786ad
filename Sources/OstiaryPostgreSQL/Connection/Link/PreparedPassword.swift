#if PostgreSQL
    import Foundation
    import OstiaryOAuth

    /// A password as SCRAM hashes it: prepared with SASLprep, which PostgresNIO leaves out. (RFC 4013 section 2)
    ///
    /// Characters that SASLprep forbids are left in: the server then has the password as it was written.
    struct PreparedPassword {
        /// The prepared form; `nil` when the password is its own one, as each password in ASCII is.
        let secret: Secret?

        init(_ written: Secret) {
            let password = written.reveal()
            guard password.utf8.contains(where: { $0 >= 0x80 }) else {
                secret = nil
                return
            }
            var mapped = String.UnicodeScalarView()
            for scalar in password.unicodeScalars {
                switch scalar.value {
                // The spaces that are not ASCII. (RFC 3454 table C.1.2)
                case 0xA0, 0x1680, 0x2000...0x200B, 0x202F, 0x205F, 0x3000: mapped.append(" ")
                // What is mapped to nothing. (RFC 3454 table B.1)
                case 0xAD, 0x34F, 0x1806, 0x180B...0x180D, 0x200C, 0x200D, 0x2060, 0xFE00...0xFE0F, 0xFEFF: continue
                default: mapped.append(scalar)
                }
            }
            let prepared = String(mapped).precomposedStringWithCompatibilityMapping
            // Two texts in Swift are equal when they are canonically equivalent.
            secret = Array(prepared.utf8) == Array(password.utf8) ? nil : Secret(prepared)
        }
    }
#endif
