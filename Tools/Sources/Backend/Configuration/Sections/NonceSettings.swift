import OstiaryOAuth
import OstiaryServer

extension ServerNonces {
    /// Reads the secrets that DPoP nonces are made with.
    ///
    /// `origins` are the service's names: two services with one secret reject each other's nonces.
    init(_ setting: Setting, of origins: [ExternalOrigin]) throws(BackendConfigurationError) {
        let object = try setting.object(of: "secrets", "seconds")
        var secrets: [Secret] = []
        for element in try object.required("secrets").elements() { secrets.append(try element.secret()) }
        let period = try object["seconds"]?.seconds(in: 1...3600) ?? .seconds(120)
        let purpose = origins.map(\.description).joined(separator: " ")
        do throws(SignInError) {
            try self.init(secrets: secrets, purpose: purpose, period: period)
        } catch {
            throw setting.wrong(error.sentence)
        }
    }
}
