/// Compares two secrets in a time that depends on their length only.
///
/// For `state`, `nonce`, hashes of tokens and one-time codes: a comparison that stops at the first difference reveals
/// to an attacker how much of a guess was right.
///
/// - Returns: Whether both have the same bytes.
@inline(never)
public func constantTimeEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    guard first.count == second.count else { return false }
    var difference: UInt8 = 0
    for position in first.indices {
        difference |= first[position] ^ second[position]
    }
    return difference == 0
}

/// Compares two secrets, as UTF-8, in a time that depends on their length only.
///
/// - Returns: Whether both are the same sequence of code points; unlike `==` on `String`, canonically equivalent
///   spellings are different.
public func constantTimeEqual(_ first: String, _ second: String) -> Bool {
    constantTimeEqual(Array(first.utf8), Array(second.utf8))
}
