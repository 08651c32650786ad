public import HTTPTypes

extension HTTPField.Name {
    // The literals are tokens, so there is a name for each.
    // swift-format-ignore: NeverForceUnwrap
    /// `DPoP`: the proof of possession (RFC 9449 section 4.1).
    public static let dpop = HTTPField.Name("DPoP")!
    // swift-format-ignore: NeverForceUnwrap
    /// `DPoP-Nonce`: the nonce that the next proof must carry (RFC 9449 section 8.1).
    public static let dpopNonce = HTTPField.Name("DPoP-Nonce")!
}
