/// The parts of a page that a program uses: its forms and its automatic refresh.
struct HTMLPage {
    /// One form of a page.
    struct Form {
        var action = ""
        var method = "get"
        var controls: [Control] = []
        var buttons: [Button] = []
    }

    /// One field of a form.
    struct Control {
        enum Kind: Hashable {
            case hidden, text, email, password, checkbox, radio, choice, other
        }

        var kind: Kind
        var name: String
        var value: String
        var isChecked = false
        var isRequired = false
        /// The purpose of the field by its `autocomplete` attribute, which is meant for password managers.
        var purpose = ""
    }

    /// One button that sends a form.
    struct Button {
        var name: String?
        var value: String
        var label: String
        var action: String?
        var method: String?
    }

    private(set) var forms: [Form] = []
    /// The target of the automatic refresh, and its delay in seconds.
    private(set) var refresh: (delay: Int, target: String)?

    init(_ bytes: [UInt8]) {
        var reader = HTMLFormReader()
        var tokens = HTMLTokenizer(bytes)
        while let token = tokens.next() { reader.take(token) }
        (forms, refresh) = reader.finish()
    }
}
