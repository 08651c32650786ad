public import ArgumentParser
public import ProviderServer

extension VendorSystem: ExpressibleByArgument {}
