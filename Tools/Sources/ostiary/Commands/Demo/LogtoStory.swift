import OstiaryJOSE

/// The story of Logto.
struct LogtoStory {
    let stage: DemoStage

    /// Tells it.
    ///
    /// - Returns: What it came to.
    func tell() async throws -> JSONObject { [:] }
}
