import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An authorization request that a client pushed and a browser is going to open (RFC 9126).
struct PushedRequest: Sendable {
    var clientID: String
    var parameters: Parameters

    func record(secret: String, expires: Date) -> ProviderRecord {
        ProviderRecord(
            kind: .pushedRequest,
            key: SecretDigest(secret).text,
            value: [
                "client_id": .string(clientID), "parameters": .string(FormURLEncoding.encode(parameters)),
            ],
            expires: expires
        )
    }

    init(clientID: String, parameters: Parameters) {
        self.clientID = clientID
        self.parameters = parameters
    }

    init?(_ record: ProviderRecord) {
        guard let clientID = record.value["client_id"]?.string, let text = record.value["parameters"]?.string,
            let parameters = FormURLEncoding.decode(text)
        else { return nil }
        self.init(clientID: clientID, parameters: parameters)
    }
}
