import Testing

/// What the documents of the five systems show, compiled and run.
@Suite
struct SnippetTests {}
