import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension JSONValue {
    /// The years 0000 to 9999 (RFC 3339 section 1), in seconds since 1970.
    private static let calendar = -62_167_219_200.0..<253_402_300_800

    /// The time of a number of seconds since 1970; `nil` for another value, and for a time that no calendar has.
    var time: Date? { number.flatMap { Self.calendar.contains($0) ? Date(timeIntervalSince1970: $0) : nil } }
}

extension JSONObject {
    /// Whether a member is a time or is not there.
    func isTimeOrAbsent(_ name: String) -> Bool { self[name].map { $0.time != nil } ?? true }
}
