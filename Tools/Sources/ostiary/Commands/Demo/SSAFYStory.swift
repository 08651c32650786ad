import OstiaryJOSE

/// The story of SSAFY.
struct SSAFYStory {
    let stage: DemoStage

    /// Tells it.
    ///
    /// - Returns: What it came to.
    func tell() async throws -> JSONObject { [:] }
}
