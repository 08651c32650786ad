public import OstiaryOAuth

/// The error that an asynchronous body throws.
public func signInFailure(_ body: () async throws(SignInError) -> Void) async -> SignInError? {
    do throws(SignInError) {
        try await body()
        return nil
    } catch {
        return error
    }
}

/// The failure of a body.
public func storageFailure(_ body: () async throws(StorageFailure) -> Void) async -> StorageFailure? {
    do throws(StorageFailure) {
        try await body()
        return nil
    } catch {
        return error
    }
}

/// The first element of a stream.
public func first<Element: Sendable>(of stream: AsyncStream<Element>) async -> Element? {
    for await element in stream { return element }
    return nil
}
