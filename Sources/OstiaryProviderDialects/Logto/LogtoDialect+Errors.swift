import HTTPTypes
import OstiaryJOSE
public import OstiaryProvider

extension LogtoDialect {
    /// Gives error bodies Logto's form.
    public func write(_ response: inout ProviderResponse, to request: ProviderRequest, at provider: Provider) {
        guard response.status.kind == .clientError || response.status.kind == .serverError,
            case .bytes(let bytes) = response.content, var object = try? JSONObject(parsing: bytes),
            let error = object["error"]?.string
        else { return }
        let message = object["error_description"]?.string ?? error
        let code = JSONValue.string("oidc.\(error)")
        switch errorBodies {
        case .current:
            object["code"] = code
            object["message"] = .string(message)
        case .legacy:
            object = [
                "code": code, "message": .string(message),
                "data": ["error_description": .string(message), "error_detail": .null],
            ]
        }
        response.content = .bytes(object.encoded())
    }
}
