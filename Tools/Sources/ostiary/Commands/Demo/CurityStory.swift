import OstiaryJOSE

/// The story of Curity.
struct CurityStory {
    let stage: DemoStage

    /// Tells it.
    ///
    /// - Returns: What it came to.
    func tell() async throws -> JSONObject { [:] }
}
