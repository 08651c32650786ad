#if canImport(SwiftUI)
    // An app that imports this module has what its API is made of.
    @_exported public import Ostiary
#endif
