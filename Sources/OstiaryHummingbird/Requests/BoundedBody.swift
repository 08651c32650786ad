#if Hummingbird
    import HTTPTypes
    import Hummingbird
    import OstiaryServer

    /// Reads a request's body up to a size and within a time, so that a slow sender occupies nothing for long.
    enum BoundedBody {
        static func read(
            _ request: Request,
            upTo limit: Int,
            within deadline: Duration
        ) async -> Result<[UInt8], RequestFault> {
            if let announced = request.headers[.contentLength].flatMap(Int.init), announced > limit {
                return .failure(.tooLarge)
            }
            return await withTaskGroup(of: Result<[UInt8], RequestFault>.self) { group in
                group.addTask { await bytes(of: request.body, upTo: limit) }
                group.addTask {
                    try? await Task.sleep(for: deadline)
                    return .failure(.tooSlow)
                }
                let first = await group.next() ?? .failure(.brokenOff)
                group.cancelAll()
                return first
            }
        }

        private static func bytes(of body: RequestBody, upTo limit: Int) async -> Result<[UInt8], RequestFault> {
            var bytes: [UInt8] = []
            do {
                for try await chunk in body {
                    guard bytes.count + chunk.readableBytes <= limit else { return .failure(.tooLarge) }
                    bytes += chunk.readableBytesView
                }
                return .success(bytes)
            } catch {
                return .failure(.brokenOff)
            }
        }
    }
#endif
