// An app that imports this front door has what its API is made of.
@_exported public import Ostiary
