#if canImport(AuthenticationServices)
    import AuthenticationServices
    import Testing

    @Test func `the stand-ins are found`() {
        #expect(ASWebAuthenticationSessionErrorDomain == "com.apple.AuthenticationServices.WebAuthenticationSession")
    }
#endif
