import HTTPTypes
import Hummingbird
import HummingbirdCore

extension BackendConfiguration.ClientAddress {
    /// Who a request is from; `nil` when nobody knows.
    func name(_ request: Request, _ context: BackendContext) -> String? {
        switch self {
        case .connection: return context.remoteAddress?.ipAddress
        case .forwarded:
            // What stands before the last entry is what the client wrote, and no more true than it.
            guard let field = HTTPField.Name("X-Forwarded-For"),
                let last = request.headers[values: field].last?.split(separator: ",").last
            else { return nil }
            return last.filter { $0 != " " }
        }
    }
}
