/// Facts about a project that are not in its files.
package struct ProjectContext: Sendable {
    /// The redirect URIs in use; empty to find them in the sources.
    package var redirectURIs: [String] = []
    /// The association file, when one was given or fetched.
    package var association: AssociationFile?
    /// The systems that the app signs in with, beside those whose modules it imports.
    package var systems: [KnownSystem] = []
    /// Issuers, or any URL of the provider.
    package var issuers: [String] = []
    /// The identifier of the team, where the project does not say it.
    package var team: String?
    /// The app's bundle identifier, where the project does not say it.
    package var bundleID: String?
    /// The one target to look at; `nil` for every app and extension.
    package var target: String?
    /// The build configuration; `nil` for the one that an archive is made with.
    package var configuration: String?

    package init() {}
}
