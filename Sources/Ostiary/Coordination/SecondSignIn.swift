/// What a second sign-in of the same client does while the first is under way, as a second tap on a button asks for it.
public enum SecondSignIn: Sendable, Hashable {
    /// It is refused as `alreadyInProgress`, and the first goes on.
    case reject
    /// The first is cancelled, and the second begins when its page is gone.
    case replace
    /// It has the outcome of the first; what it asks for is not asked for.
    case join
}
