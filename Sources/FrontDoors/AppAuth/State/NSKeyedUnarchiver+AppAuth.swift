public import Foundation

/// The call with which apps read AppAuth's archives, for this face's types: it also reads archives that AppAuth wrote.
///
/// An archive names the classes of its objects. AppAuth's names are read as this face's types here and nowhere else in
/// the process, where another library may still use AppAuth.
extension NSKeyedUnarchiver {
    /// Reads a state; `nil` when the archive holds something else.
    ///
    /// - Throws: The error of an archive that cannot be read, or of more than 1 MiB.
    public static func unarchivedObject(ofClass cls: OIDAuthState.Type, from data: Data) throws -> OIDAuthState? {
        try appAuthObject(cls, from: data)
    }

    /// Reads a registration response; `nil` when the archive holds something else.
    ///
    /// - Throws: As for a state.
    public static func unarchivedObject(
        ofClass cls: OIDRegistrationResponse.Type,
        from data: Data
    ) throws -> OIDRegistrationResponse? {
        try appAuthObject(cls, from: data)
    }

    /// Reads a token response; `nil` when the archive holds something else.
    ///
    /// - Throws: As for a state.
    public static func unarchivedObject(
        ofClass cls: OIDTokenResponse.Type,
        from data: Data
    ) throws -> OIDTokenResponse? {
        try appAuthObject(cls, from: data)
    }

    /// Reads an authorization response; `nil` when the archive holds something else.
    ///
    /// - Throws: As for a state.
    public static func unarchivedObject(
        ofClass cls: OIDAuthorizationResponse.Type,
        from data: Data
    ) throws -> OIDAuthorizationResponse? {
        try appAuthObject(cls, from: data)
    }

    /// Reads a configuration; `nil` when the archive holds something else.
    ///
    /// - Throws: As for a state.
    public static func unarchivedObject(
        ofClass cls: OIDServiceConfiguration.Type,
        from data: Data
    ) throws -> OIDServiceConfiguration? {
        try appAuthObject(cls, from: data)
    }

    private static func appAuthObject<Object: NSObject & NSSecureCoding>(
        _ type: Object.Type,
        from data: Data
    ) throws -> Object? {
        guard data.count <= 1_048_576, ArchiveClasses.permits(data) else { throw CocoaError(.coderReadCorrupt) }
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = true
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        ArchiveClasses.named.forEach { unarchiver.setClass($0.type, forClassName: $0.name) }
        let object: Object? = unarchiver.object(NSKeyedArchiveRootObjectKey)
        if let error = unarchiver.error { throw error }
        unarchiver.finishDecoding()
        return object
    }
}
