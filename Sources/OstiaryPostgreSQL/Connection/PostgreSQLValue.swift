#if PostgreSQL
    import OstiaryServer

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// A parameter of a statement, in the binary form of its type: there is no quoting that could go wrong.
    enum PostgreSQLValue: Sendable, Hashable {
        case null
        /// `bytea`.
        case bytes([UInt8])
        /// `boolean`.
        case bool(Bool)
        /// `bigint`.
        case integer(Int)

        /// A time as microseconds since 1970, in a `bigint`.
        static func time(_ date: Date) -> PostgreSQLValue { .integer(date.microseconds) }

        /// The UTF-8 bytes of a text as `bytea`, which holds every text, even one with U+0000.
        static func utf8(_ text: String?) -> PostgreSQLValue { text.map { .bytes(Array($0.utf8)) } ?? .null }

        /// The bytes to send; `nil` for NULL.
        var encoded: [UInt8]? {
            switch self {
            case .null: nil
            case .bytes(let bytes): bytes
            case .bool(let bool): [bool ? 1 : 0]
            case .integer(let integer): withUnsafeBytes(of: Int64(integer).bigEndian) { Array($0) }
            }
        }
    }
#endif
