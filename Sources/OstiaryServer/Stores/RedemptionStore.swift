public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Sees to it that a code is redeemed at most once, among all instances, and that who asks again hears the same answer.
///
/// A code is claimed before it is redeemed. Who claimed it and then died took it along: the code is never redeemed a
/// second time, because nobody can tell whether it was (RFC 6749 section 4.1.2). Who knows that it was not gives it back.
public protocol RedemptionStore: Sendable {
    /// Claims a code, unless somebody did before.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - request: All that was asked, the code too: another request with the same code gets no answer.
    ///   - expiry: Until when the claim is remembered; longer than any code lives.
    ///   - deadline: Until when an answer is waited for; from then on, without one, the code is used.
    ///   - now: The time.
    func claim(
        _ code: StoreDigest,
        for request: StoreDigest,
        until expiry: Date,
        answeredBy deadline: Date,
        now: Date
    ) async throws(StorageFailure) -> RedemptionClaim

    /// Gives a claimed code back that was certainly not redeemed: the next request claims it anew.
    ///
    /// Nothing happens when the code was not claimed for this request, or has an answer.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - request: The request that claimed it.
    func giveBack(_ code: StoreDigest, for request: StoreDigest) async throws(StorageFailure)

    /// Keeps what a claimed code brought, for the same request when it comes again.
    ///
    /// - Parameters:
    ///   - answer: At most 64 KiB, sealed by the caller where it is about a person.
    ///   - code: The code.
    ///   - request: The request that claimed it.
    ///   - expiry: Until when it is given; after that the code is still remembered as used.
    ///   - now: The time.
    /// - Returns: Whether it is kept: not when the code was not claimed for this request, its claim has expired, or it has an
    ///   answer. One that comes after the claim's deadline is kept.
    func record(
        _ answer: [UInt8],
        of code: StoreDigest,
        for request: StoreDigest,
        until expiry: Date,
        now: Date
    ) async throws(StorageFailure) -> Bool
}

/// What a ``RedemptionStore`` says of a code.
public enum RedemptionClaim: Sendable, Hashable {
    /// It is the caller's to redeem.
    case claimed
    /// The same request claimed it and has no answer yet.
    case underWay
    /// The same request was answered so.
    case answered([UInt8])
    /// It was claimed by another request, its answer is no longer given, or none came by the deadline.
    case used
}

/// Keeps something for one who comes back for it, once: a sign-in that was started here.
public protocol OneTimeStore: Sendable {
    /// Keeps a value under a name that is new.
    ///
    /// - Parameters:
    ///   - value: At most 64 KiB.
    ///   - name: Its name.
    ///   - expiry: Until when it can be taken.
    ///   - now: The time.
    /// - Returns: Whether it is kept; not when there is one of that name that has not expired.
    func put(_ value: [UInt8], as name: StoreDigest, until expiry: Date, now: Date) async throws(StorageFailure) -> Bool

    /// Takes a value away: of two that ask, one gets it.
    ///
    /// - Returns: The value; `nil` when there is none, it was taken, or it has expired.
    func take(_ name: StoreDigest, now: Date) async throws(StorageFailure) -> [UInt8]?
}
