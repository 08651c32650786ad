/// The page for the code that a device shows: go on, cancel (RFC 8628 section 3.3).
public struct UserCodePage: Sendable, Hashable {
    /// What every page shows.
    public var frame: PageFrame
    /// The form; its inputs are ``PageInput/userCode`` and ``PageInput/decision``.
    public var form: PageForm
    /// The code to start with; empty for none.
    ///
    /// The person compares it with the device's (RFC 8628 section 3.3.1).
    public var userCode: String
    /// What went wrong with the last try, in one sentence; `nil` before the first.
    public var failure: String?
}

/// The page that asks about a device: allow, deny.
///
/// It is shown whoever the client is and whatever was allowed before: the code may come from a stranger who wants the
/// person's tokens on a device of their own (RFC 8628 section 5.4).
public struct DeviceConsentPage: Sendable, Hashable {
    /// What every page shows.
    public var frame: PageFrame
    /// The form; its input is ``PageInput/decision``.
    public var form: PageForm
    /// Who asks.
    public var clientName: String
    /// Who is asked.
    public var userName: String
    /// The code that the device has to show, such as `WDJB-MJHT`.
    public var userCode: String
    /// What is asked for.
    public var scopes: [ConsentPage.ScopeLine]
}

/// The page after the answer about a device.
public struct DeviceDonePage: Sendable, Hashable {
    /// What every page shows.
    public var frame: PageFrame
    /// What happened, in one sentence.
    public var sentence: String
}
