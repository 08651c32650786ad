import HTTPTypes
import OstiaryServer

extension CertificateField {
    /// The encodings of a certificate field, as the configuration names them.
    private enum Written: String, CaseIterable {
        case structured
        case escapedPEM = "escaped_pem"
    }

    /// Reads the field in which the proxy forwards client certificates; `Client-Cert` by default.
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
            throw member.wrong("Expected the name of a header field, such as Client-Cert; found \(member.found).")
        }
        self.init(name, form: form)
    }
}
