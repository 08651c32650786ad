/// The notes of all users, for as long as the process runs: the example is about other things.
actor Notebook {
    private var notes: [String: [String]] = [:]

    func notes(of subject: String) -> [String] { notes[subject] ?? [] }

    func add(_ note: String, of subject: String) { notes[subject, default: []].append(note) }

    func erase(of subject: String) { notes[subject] = nil }
}
