public import HTTPTypes

extension HTTPField.Name {
    // The literals are tokens, so there is a name for each.
    // swift-format-ignore: NeverForceUnwrap
    /// `DPoP`: the proof of possession (RFC 9449 section 4.1).
    public static let dpop = HTTPField.Name("DPoP")!
    // swift-format-ignore: NeverForceUnwrap
    /// `DPoP-Nonce`: what the next proof has to carry (RFC 9449 section 8.1).
    public static let dpopNonce = HTTPField.Name("DPoP-Nonce")!
}
