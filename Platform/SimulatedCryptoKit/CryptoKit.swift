// CryptoKit is what swift-crypto's Crypto is on Linux; only the Secure Enclave is missing there.
@_exported import Crypto
