public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Ensures that a code is redeemed at most once among all instances, and that a repeated request gets the same
/// response.
///
/// A code is claimed before it is redeemed. If the claiming instance crashes, the code is lost: it is never redeemed a
/// second time, because it may have been redeemed (RFC 6749 section 4.1.2). An instance that knows that it was not
/// redeemed releases the claim.
public protocol RedemptionStore: Sendable {
    /// Claims a code, unless it was claimed before.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - request: The digest of all parameters of the request, including the code: another request with the same code
    ///     gets no response.
    ///   - expiry: The end of the claim; later than the code can be valid.
    ///   - deadline: The time until which a response is awaited; after it, without one, the code counts as used.
    ///   - now: The time.
    /// - Returns: Whether the caller has the claim, and otherwise the state of the earlier one.
    /// - Throws: The store's failure, after which the code may have been claimed all the same.
    func claim(
        _ code: StoreDigest,
        for request: StoreDigest,
        until expiry: Date,
        answeredBy deadline: Date,
        now: Date
    ) async throws(StorageFailure) -> RedemptionClaim

    /// Releases the claim of a code that was certainly not redeemed: the next request claims it again.
    ///
    /// Nothing happens when the code was not claimed for this request, or has a response.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - request: The request that claimed it.
    /// - Throws: The store's failure, after which the claim may have been released all the same.
    func release(_ code: StoreDigest, for request: StoreDigest) async throws(StorageFailure)

    /// Stores the response for a claimed code, for repetitions of the same request.
    ///
    /// - Parameters:
    ///   - answer: At most 64 KiB, sealed by the caller if it contains user data.
    ///   - code: The code.
    ///   - request: The request that claimed it.
    ///   - expiry: The time until which the response is repeated; after it the code is still remembered as used.
    ///   - now: The time.
    /// - Returns: Whether the response was stored: not when the code was not claimed for this request, the claim has
    ///   expired, or there is a response already. A response after the claim's deadline is stored.
    /// - Throws: The store's failure, after which the response may have been stored all the same.
    func record(
        _ answer: [UInt8],
        of code: StoreDigest,
        for request: StoreDigest,
        until expiry: Date,
        now: Date
    ) async throws(StorageFailure) -> Bool
}

/// The answer of a ``RedemptionStore`` about a code.
public enum RedemptionClaim: Sendable, Hashable {
    /// The caller claimed the code and may redeem it.
    case claimed
    /// The same request claimed the code, and there is no response yet.
    case underWay
    /// The response to the same request.
    case answered([UInt8])
    /// The code was claimed by another request, its response has expired, or there was none by the deadline.
    case used
}

/// Stores values that can be taken once, such as a sign-in in progress.
public protocol OneTimeStore: Sendable {
    /// Stores a value under a new name.
    ///
    /// - Parameters:
    ///   - value: At most 64 KiB.
    ///   - name: Its name.
    ///   - expiry: The time until which it can be taken.
    ///   - now: The time.
    /// - Returns: Whether it was stored; not when an unexpired value has that name.
    /// - Throws: The store's failure, after which the value may have been stored all the same.
    func put(_ value: [UInt8], as name: StoreDigest, until expiry: Date, now: Date) async throws(StorageFailure) -> Bool

    /// Takes a value: of two concurrent calls, one gets it.
    ///
    /// - Returns: The value; `nil` when there is none, or it was taken or has expired.
    func take(_ name: StoreDigest, now: Date) async throws(StorageFailure) -> [UInt8]?
}
