import HTTPTypes
import OstiaryServer

extension CertificateField {
    /// How a proxy may write a certificate, as the configuration says it.
    private enum Written: String, CaseIterable {
        case structured
        case escapedPEM = "escaped_pem"
    }

    /// Reads the field in which the proxy passes clients' certificates on; without a name it is `Client-Cert`.
    init(_ setting: Setting) throws(BackendConfigurationError) {
        let object = try setting.object(of: "name", "form")
        let form: Form =
            switch try object.required("form").choice(Written.self) {
            case .structured: .structured
            case .escapedPEM: .escapedPEM
            }
        guard let member = object["name"] else {
            self.init(.clientCert, form: form)
            return
        }
        guard let name = HTTPField.Name(try member.text()) else {
            throw member.wrong("This is not the name of a header field, such as Client-Cert.")
        }
        self.init(name, form: form)
    }
}
