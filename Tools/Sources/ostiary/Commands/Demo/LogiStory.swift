import OstiaryJOSE

/// The story of Logi.
struct LogiStory {
    let stage: DemoStage

    /// Tells it.
    ///
    /// - Returns: What it came to.
    func tell() async throws -> JSONObject { [:] }
}
