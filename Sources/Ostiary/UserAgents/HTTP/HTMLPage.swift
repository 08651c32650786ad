/// What a page offers to a program: its forms, and where it goes by itself.
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
        /// What the page says of its purpose, for the person's own password store.
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
    /// Where the page goes by itself, and after how many seconds.
    private(set) var refresh: (delay: Int, target: String)?

    init(_ bytes: [UInt8]) {
        var reader = HTMLFormReader()
        var tokens = HTMLTokenizer(bytes)
        while let token = tokens.next() { reader.take(token) }
        (forms, refresh) = reader.finish()
    }
}
