/// A file of the folder `Pages`, compiled into the program so that one static binary serves everything.
enum PageFile {
    /// The templates by the name that others include them by.
    static var templates: [String: String] {
        [
            "document": text(PackageResources.document_mustache),
            "hidden": text(PackageResources.hidden_mustache),
            "login": text(PackageResources.login_mustache),
            "accounts": text(PackageResources.accounts_mustache),
            "one-time-password": text(PackageResources.one_time_password_mustache),
            "consent": text(PackageResources.consent_mustache),
            "sign-out": text(PackageResources.sign_out_mustache),
            "signed-out": text(PackageResources.signed_out_mustache),
            "user-code": text(PackageResources.user_code_mustache),
            "device-consent": text(PackageResources.device_consent_mustache),
            "device-done": text(PackageResources.device_done_mustache),
            "account": text(PackageResources.account_mustache),
            "answer": text(PackageResources.answer_mustache),
            "front": text(PackageResources.front_mustache),
            "error": text(PackageResources.error_mustache),
        ]
    }

    /// The files of the pages, by their paths below the issuer, with their media types.
    static let served: [String: (mediaType: String, bytes: [UInt8])] = [
        "/style.css": ("text/css; charset=utf-8", PackageResources.style_css),
        "/icon.svg": ("image/svg+xml", PackageResources.icon_svg),
    ]

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
