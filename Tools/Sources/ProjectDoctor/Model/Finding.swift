/// One fault of a project, with its fix.
package struct Finding: Sendable, Hashable {
    /// The severity of a finding.
    package enum Severity: String, Sendable, CaseIterable {
        /// A sign-in fails, or is not safe.
        case problem
        /// A sign-in fails for some, later, or under circumstances.
        case warning
        /// A fact to know, or to check elsewhere.
        case note
    }

    /// A place in the project.
    package struct Place: Sendable, Hashable {
        /// Below the project's folder; `nil` when the matter is in no file.
        package var file: String?
        /// From 1; `nil` where the file has no lines.
        package var line: Int?
        /// The key path, the build setting or the constant.
        package var key: String?

        package init(file: String? = nil, line: Int? = nil, key: String? = nil) {
            self.file = file
            self.line = line
            self.key = key
        }
    }

    /// The rule's name.
    package let rule: String
    package let severity: Severity
    package let place: Place
    /// The fault, and its effect.
    package let message: String
    /// The current value, unless it is missing; never a secret.
    package let now: String?
    /// The text to write or paste.
    package let fix: String?
    /// The source of the rule: the document, or the RFC and its section.
    package let source: String
}
