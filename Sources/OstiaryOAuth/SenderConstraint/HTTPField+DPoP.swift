public import HTTPTypes

// swift-format-ignore: NeverForceUnwrap -- literals that are tokens.
extension HTTPField.Name {
    /// `DPoP`: the proof of possession (RFC 9449 section 4.1).
    public static let dpop = HTTPField.Name("DPoP")!
    /// `DPoP-Nonce`: what the next proof has to carry (RFC 9449 section 8.1).
    public static let dpopNonce = HTTPField.Name("DPoP-Nonce")!
}
