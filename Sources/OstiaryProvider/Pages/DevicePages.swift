/// The page for a device's user code: continue, cancel (RFC 8628 section 3.3).
public struct UserCodePage: Sendable, Hashable {
    /// The content of every page.
    public var frame: PageFrame
    /// The form; its inputs are ``PageInput/userCode`` and ``PageInput/decision``.
    public var form: PageForm
    /// The code to start with; empty for none.
    ///
    /// The user compares it with the device's (RFC 8628 section 3.3.1).
    public var userCode: String
    /// The error of the last attempt, in one sentence; `nil` before the first.
    public var failure: String?
}

/// The consent page for a device: allow, deny.
///
/// It appears for every client and whatever the user allowed before: the code may come from an attacker who wants
/// tokens on a device of their own (RFC 8628 section 5.4).
public struct DeviceConsentPage: Sendable, Hashable {
    /// The content of every page.
    public var frame: PageFrame
    /// The form; its input is ``PageInput/decision``.
    public var form: PageForm
    /// The name of the client.
    public var clientName: String
    /// The name of the user.
    public var userName: String
    /// The code that the device must display, such as `WDJB-MJHT`.
    public var userCode: String
    /// The requested scopes.
    public var scopes: [ConsentPage.ScopeLine]
}

/// The page after the decision about a device.
public struct DeviceDonePage: Sendable, Hashable {
    /// The content of every page.
    public var frame: PageFrame
    /// The result, in one sentence.
    public var sentence: String
}
