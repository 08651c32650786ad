import OstiaryJOSE
import OstiaryOAuth

extension Array {
    /// The check of the first rule that does not hold.
    ///
    /// It is part of this module, so that it is specialized, and reads the rules in place: a request makes many checks.
    func firstFailure<Facts, Check>(in facts: Facts) -> Check? where Element == Rule<Facts, Check> {
        for index in indices where !NamedCheck.holds(named: self[index].name, self[index].holds(facts)) {
            return self[index].check
        }
        return nil
    }
}
