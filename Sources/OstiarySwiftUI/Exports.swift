#if canImport(SwiftUI)
    // An app that imports this module also gets the types of its API.
    @_exported public import Ostiary
#endif
