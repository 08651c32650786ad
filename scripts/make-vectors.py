#!/usr/bin/env python3
"""Writes the signature, key and token cases of Tests/Vectors: own cases in the manner of Wycheproof.

Everything is computed here, with the numbers of the algorithms and nothing but Python's own library, so that cases can be
made that no library would sign. Each run writes the same bytes; run it again after changing a case.
"""
import base64
import hashlib
import hmac
import json
import os

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Tests", "Vectors")
HASHES = {"256": hashlib.sha256, "384": hashlib.sha384, "512": hashlib.sha512}


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def number(text):
    return int.from_bytes(decode(text), "big")


def minimal(value):
    return encode(value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big"))


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def signing_input(header, payload=None):
    header = header if isinstance(header, (str, bytes)) else compact(header)
    payload = payload if payload is not None else '{"iss":"https://issuer.example","sub":"alice"}'
    parts = [part.encode() if isinstance(part, str) else part for part in (header, payload)]
    return ".".join(encode(part) for part in parts)


def token(signed, signature):
    return signed + "." + encode(signature)


class Cases:
    """The cases of one file, numbered from 1; a case without a key is about the file's."""

    def __init__(self, about, key=None):
        self.document = {"about": about, **({"key": key} if key else {}), "cases": []}

    def add(self, comment, flags="", **fields):
        case = {"id": len(self.document["cases"]) + 1, "comment": comment, "flags": flags.split()}
        if "key" in self.document and fields.get("key") == self.document["key"]:
            del fields["key"]
        refused = "error" in fields or "keyError" in fields
        case["result"] = "invalid" if refused else "valid"
        self.document["cases"].append({**case, **fields})

    def write(self, name):
        with open(os.path.join(FOLDER, name), "w") as file:
            json.dump(self.document, file, indent=2, ensure_ascii=True)
            file.write("\n")
        print(f"{name}: {len(self.document['cases'])} cases")


# Elliptic curves. (FIPS 186-4 appendix D.1.2)


class Curve:
    def __init__(self, name, algorithm, p, n, b, x, y):
        self.name, self.algorithm, self.p, self.n, self.b = name, algorithm, p, n, b
        self.base = (x, y)
        self.size = (p.bit_length() + 7) // 8
        self.hash = HASHES[algorithm[2:]]

    def add(self, first, second):
        if first is None or second is None:
            return second if first is None else first
        (x1, y1), (x2, y2) = first, second
        if x1 == x2 and (y1 + y2) % self.p == 0:
            return None
        if first == second:
            slope = (3 * x1 * x1 - 3) * pow(2 * y1, -1, self.p)
        else:
            slope = (y2 - y1) * pow(x2 - x1, -1, self.p)
        x = (slope * slope - x1 - x2) % self.p
        return x, (slope * (x1 - x) - y1) % self.p

    def times(self, factor, point=None):
        point, result = point or self.base, None
        for bit in bin(factor % self.n)[2:]:
            result = self.add(result, result)
            if bit == "1":
                result = self.add(result, point)
        return result

    def bytes(self, value):
        return value.to_bytes(self.size, "big")

    def hashed(self, signed):
        digest = self.hash(signed.encode()).digest()
        return int.from_bytes(digest, "big") >> max(0, len(digest) * 8 - self.n.bit_length())

    def sign(self, signed, secret, k, hashed=None):
        hashed = self.hashed(signed) if hashed is None else hashed
        r = self.times(k)[0] % self.n
        return r, (hashed + r * secret) * pow(k, -1, self.n) % self.n

    def raw(self, r, s):
        return self.bytes(r) + self.bytes(s)

    def jwk(self, point, **more):
        return {"kty": "EC", "crv": self.name, "x": encode(self.bytes(point[0])), "y": encode(self.bytes(point[1])), **more}

    def point_at(self, x):
        """A point with the first x from this one on that has one."""
        while True:
            square = (x * x * x - 3 * x + self.b) % self.p
            y = pow(square, (self.p + 1) // 4, self.p)
            if y * y % self.p == square:
                return x, y
            x += 1


P256 = Curve(
    "P-256",
    "ES256",
    2**256 - 2**224 + 2**192 + 2**96 - 1,
    0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
    0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B,
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
P384 = Curve(
    "P-384",
    "ES384",
    2**384 - 2**128 - 2**96 + 2**32 - 1,
    0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973,
    0xB3312FA7E23EE7E4988E056BE3F82D19181D9C6EFE8141120314088F5013875AC656398D8A2ED19D2A85C8EDD3EC2AEF,
    0xAA87CA22BE8B05378EB1C71EF320AD746E1D3B628BA79B9859F741E082542A385502F25DBF55296C3A545E3872760AB7,
    0x3617DE4A96262C6F5D9E98BF9292DC29F8F41DBD289A147CE9DA3113B5F0B8C00A60B1CE1D7E819D7A431D7C90EA0E5F,
)
P521 = Curve(
    "P-521",
    "ES512",
    2**521 - 1,
    (2**261 - 1) << 260 | 0xA51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386409,
    0x0051953EB9618E1C9A1F929A21A0B68540EEA2DA725B99B315F3B8B489918EF109E156193951EC7E937B1652C0BD3BB1BF073573DF883D2C34F1EF451FD46B503F00,
    0x00C6858E06B70404E9CD9E3ECB662395B4429C648139053FB521F828AF606B4D3DBAA14B5E77EFE75928FE1DC127A2FFA8DE3348B3C1856A429BF97E7E31C2E5BD66,
    0x011839296A789A3BC0045C8A5FB42C7D1BD998F54449579B446817AFBD17273E662C97EE72995EF42640C550B9013FAD0761353C7086A272C24088BE94769FD16650,
)
CURVES = [P256, P384, P521]


def der(r, s):
    def integer(value):
        body = value.to_bytes(value.bit_length() // 8 + 1, "big")
        return b"\x02" + bytes([len(body)]) + body

    body = integer(r) + integer(s)
    return b"\x30" + (bytes([len(body)]) if len(body) < 128 else b"\x81" + bytes([len(body)])) + body


def ecdsa(curve):
    secret = int.from_bytes(hashlib.sha512(curve.name.encode()).digest(), "big") % curve.n
    k = int.from_bytes(hashlib.sha512(curve.algorithm.encode()).digest(), "big") % curve.n
    key = curve.jwk(curve.times(secret), kid="key")
    cases = Cases(f"ECDSA with {curve.name}: {curve.algorithm}. (RFC 7518 section 3.4)", key)
    header = {"alg": curve.algorithm, "kid": "key"}
    signed = signing_input(header)
    r, s = curve.sign(signed, secret, k)
    n, size = curve.n, curve.size

    def add(comment, flags, signature, valid=False, **fields):
        refusal = {} if valid else {"error": "invalidSignature"}
        fields = {"key": key, "algorithm": curve.algorithm, "token": token(signed, signature), **refusal, **fields}
        cases.add(comment, flags, **fields)

    add("A good signature", "", curve.raw(r, s), valid=True)
    add("The other good value of s: a JWS does not ask for the lower one", "Malleable", curve.raw(r, n - s), valid=True)
    edges = {"0": 0, "1": 1, "n - 1": n - 1, "n": n, "p": curve.p, "all ones": 2 ** (8 * size) - 1}
    for r_name, r_edge in edges.items():
        for s_name, s_edge in edges.items():
            add(f"r = {r_name}, s = {s_name}", "EdgeCase", curve.raw(r_edge, s_edge))
    for name, edge in edges.items():
        add(f"r of a good signature, s = {name}", "EdgeCase", curve.raw(r, edge))
        add(f"r = {name}, s of a good signature", "EdgeCase", curve.raw(edge, s))
    if (r + n).bit_length() <= 8 * size and (s + n).bit_length() <= 8 * size:
        add("r + n for r", "Malleable", curve.raw(r + n, s))
        add("s + n for s", "Malleable", curve.raw(r, s + n))
    add("n - r for r", "EdgeCase", curve.raw(n - r, s))
    add("r and s exchanged", "EdgeCase", curve.raw(s, r))
    add("DER instead of two numbers", "Encoding", der(r, s))
    add("Nothing", "Length", b"")
    add("r only", "Length", curve.bytes(r))
    add("The last byte missing", "Length", curve.raw(r, s)[:-1])
    add("The first byte missing", "Length", curve.raw(r, s)[1:])
    add("A zero byte behind", "Length", curve.raw(r, s) + b"\0")
    add("A zero byte in front", "Length", b"\0" + curve.raw(r, s))
    add("A zero byte in front of r and of s", "Length", b"\0" + curve.bytes(r) + b"\0" + curve.bytes(s))
    add("The signature twice", "Length", curve.raw(r, s) * 2)
    small = k
    while curve.times(small)[0] % n >> (8 * size - 8):
        small += 1
    r2, s2 = curve.sign(signed, secret, small)
    add("r begins with a zero byte", "LeadingZero", curve.raw(r2, s2), valid=True)
    add("The zero byte that r begins with left out", "LeadingZero", curve.raw(r2, s2)[1:])
    for other in CURVES:
        if other is not curve:
            digest = int.from_bytes(other.hash(signed.encode()).digest(), "big")
            digest >>= max(0, other.hash().digest_size * 8 - n.bit_length())
            name = f"The hash of {other.algorithm}"
            add(name, "WrongHash", curve.raw(*curve.sign(signed, secret, k, hashed=digest)))
    add("Signed the header only", "WrongInput", curve.raw(*curve.sign(signed.split(".")[0], secret, k)))
    changed = signing_input(header, '{"iss":"https://issuer.example","sub":"mallory"}')
    add("Signed another payload", "WrongInput", curve.raw(*curve.sign(changed, secret, k)))
    add("Signed with another key", "WrongKey", curve.raw(*curve.sign(signed, secret + 1, k)))
    hashed = curve.hashed(signed)
    infinite = -hashed * pow(secret, -1, n) % n
    add("The sum of points is the point at infinity", "EdgeCase", curve.raw(infinite, s))
    equal = hashed * pow(r, -1, n) % n
    add(
        "The sum is of two equal points",
        "EdgeCase",
        curve.raw(*curve.sign(signed, equal, k)),
        valid=True,
        key=curve.jwk(curve.times(equal), kid="key"),
    )
    for name, edge in {"1": 1, "2": 2, "n - 1": n - 1}.items():
        special = curve.jwk(curve.times(edge), kid="key")
        add(f"The private key is {name}", "EdgeCase", curve.raw(*curve.sign(signed, edge, k)), valid=True, key=special)
    cases.write(f"cases-{curve.algorithm.lower()}.json")


# Ed25519. (RFC 8032 section 5.1)

Q = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, Q) % Q


def edwards_add(first, second):
    (x1, y1), (x2, y2) = first, second
    product = D * x1 * x2 * y1 * y2
    x = (x1 * y2 + x2 * y1) * pow(1 + product, -1, Q) % Q
    return x, (y1 * y2 + x1 * x2) * pow(1 - product, -1, Q) % Q


def edwards_times(factor, point):
    result = (0, 1)
    for bit in bin(factor)[2:]:
        result = edwards_add(result, result)
        if bit == "1":
            result = edwards_add(result, point)
    return result


def edwards_x(y, sign):
    square = (y * y - 1) * pow(D * y * y + 1, -1, Q) % Q
    x = pow(square, (Q + 3) // 8, Q)
    if (x * x - square) % Q:
        x = x * pow(2, (Q - 1) // 4, Q) % Q
    if (x * x - square) % Q:
        return None
    return x if x & 1 == sign else (Q - x) % Q


def edwards_bytes(point):
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


BASE = (edwards_x(4 * pow(5, -1, Q) % Q, 0), 4 * pow(5, -1, Q) % Q)


def eddsa():
    digest = hashlib.sha512(decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A")).digest()
    secret = int.from_bytes(digest[:32], "little") & ((1 << 254) - 8) | (1 << 254)
    public = edwards_bytes(edwards_times(secret, BASE))
    key = {"kty": "OKP", "crv": "Ed25519", "x": encode(public), "kid": "key"}
    cases = Cases("EdDSA with Ed25519. (RFC 8037 section 3.1, RFC 8032 section 5.1)", key)
    signed = signing_input({"alg": "EdDSA", "kid": "key"})

    def challenge(r, message=signed, under=public):
        return int.from_bytes(hashlib.sha512(r + under + message.encode()).digest(), "little") % ORDER

    def sign(message):
        k = int.from_bytes(hashlib.sha512(digest[32:] + message.encode()).digest(), "little") % ORDER
        r = edwards_bytes(edwards_times(k, BASE))
        return r, (k + challenge(r, message) * secret) % ORDER

    def scalar(value):
        return value.to_bytes(32, "little")

    def add(comment, flags, signature, valid=False, **fields):
        refusal = {} if valid else {"error": "invalidSignature"}
        cases.add(comment, flags, **{"key": key, "algorithm": "EdDSA", "token": token(signed, signature), **refusal, **fields})

    r, s = sign(signed)
    add("A good signature", "", r + scalar(s), valid=True)
    add("S + L for S", "Malleable", r + scalar(s + ORDER))
    add("S + 2 L for S", "Malleable", r + scalar(s + 2 * ORDER))
    add("The highest bit of S set", "Malleable", r + scalar(s | 1 << 255))
    for name, edge in {"0": 0, "1": 1, "L - 1": ORDER - 1, "L": ORDER, "all ones": 2**256 - 1}.items():
        add(f"S = {name}", "EdgeCase", r + scalar(edge))
    identity = (1).to_bytes(32, "little")
    add("R is the neutral element and S = 0", "EdgeCase", identity + scalar(0))
    add("R is not reduced: y = p + 1 with S = 0", "EdgeCase", (Q + 1).to_bytes(32, "little") + scalar(0))
    unreduced = (Q + 1).to_bytes(32, "little")
    forged = challenge(unreduced) * secret % ORDER
    add("R is the neutral element, not reduced, with the S that fits", "EdgeCase", unreduced + scalar(forged))
    add("The sign of R turned", "EdgeCase", r[:31] + bytes([r[31] ^ 0x80]) + scalar(s))
    add("Every byte zero", "EdgeCase", bytes(64))
    add("S before R", "EdgeCase", scalar(s) + r)
    for comment, signature in {
        "Nothing": b"",
        "R only": r,
        "The last byte missing": (r + scalar(s))[:-1],
        "The first byte missing": (r + scalar(s))[1:],
        "A zero byte behind": r + scalar(s) + b"\0",
        "A zero byte in front": b"\0" + r + scalar(s),
        "The signature twice": (r + scalar(s)) * 2,
    }.items():
        add(comment, "Length", signature)
    other, other_s = sign(signing_input({"alg": "EdDSA", "kid": "key"}, '{"sub":"mallory"}'))
    add("Signed another payload", "WrongInput", other + scalar(other_s))

    def key_case(comment, flags, x, **fields):
        signature = identity + scalar(0)
        add(comment, flags, signature, key={**key, "x": encode(x)}, **fields)

    order_8 = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
    for name, y in {
        "0 (order 4)": 0,
        "1 (order 1)": 1,
        "p - 1 (order 2)": Q - 1,
        "p, not reduced": Q,
        "p + 1, not reduced": Q + 1,
        "one of order 8": order_8,
        "another of order 8": Q - order_8,
    }.items():
        for sign_bit in (0, 1):
            encoded = (y | sign_bit << 255).to_bytes(32, "little")
            key_case(f"A key of small order: y is {name}, sign {sign_bit}", "SmallOrder", encoded, keyError="weakKey")
    for offset in (3, 4, 18):
        encoded = (Q + offset).to_bytes(32, "little")
        key_case(f"A key that is not reduced: y is p + {offset}", "NonCanonical", encoded, keyError="keyFailure")
    off_curve = next(y for y in range(2, 100) if edwards_x(y, 0) is None)
    key_case("A key that is not on the curve verifies nothing", "OffCurve", off_curve.to_bytes(32, "little"))
    for comment, x in {"31 bytes": public[:31], "33 bytes": public + b"\0", "No byte": b""}.items():
        key_case(f"A key of the wrong length: {comment}", "Length", x, keyError='malformed("x")')
    cases.write("cases-eddsa.json")


# RSA. (RFC 8017)

DIGEST_INFO = {
    "SHA-1": "3021300906052b0e03021a05000414",
    "256": "3031300d060960864801650304020105000420",
    "384": "3041300d060960864801650304020205000430",
    "512": "3051300d060960864801650304020305000440",
}


def mgf1(seed, length, hash):
    blocks = (hash(seed + counter.to_bytes(4, "big")).digest() for counter in range(length // hash().digest_size + 1))
    return b"".join(blocks)[:length]


def pss(digest, bits, hash, salt, mask_hash=None, trailer=0xBC, separator=1):
    length = (bits + 7) // 8
    hashed = hash(bytes(8) + digest + salt).digest()
    block = bytes(length - len(salt) - len(hashed) - 2) + bytes([separator]) + salt
    masked = bytes(a ^ b for a, b in zip(block, mgf1(hashed, len(block), mask_hash or hash)))
    masked = bytes([masked[0] & 0xFF >> (8 * length - bits)]) + masked[1:]
    return masked + hashed + bytes([trailer])


def rsa():
    with open(os.path.join(FOLDER, "rfc7520.json")) as file:
        private = next(case["key"] for case in json.load(file)["privateKeys"] if case["key"]["kty"] == "RSA")
    n, e, d = (number(private[name]) for name in ("n", "e", "d"))
    size = 256
    public = {"kty": "RSA", "n": private["n"], "e": private["e"], "kid": "key"}
    files = {name: Cases(f"{name} signatures. (RFC 7518 sections 3.3 and 3.5)", public) for name in ("RSASSA-PKCS1-v1_5", "RSASSA-PSS")}

    def power(block):
        return pow(int.from_bytes(block, "big"), d, n).to_bytes(size, "big")

    def add(file, algorithm, comment, flags, signature, valid=False, **fields):
        signed = signing_input({"alg": algorithm, "kid": "key"})
        signature = signature(signed.encode()) if callable(signature) else signature
        refusal = {} if valid else {"error": "invalidSignature"}
        values = {"key": public, "algorithm": algorithm, "token": token(signed, signature), **refusal, **fields}
        files[file].add(comment, flags, **values)

    def block(info, length=size, first=b"\0\1", fill=b"\xff", separator=b"\0", after=b""):
        room = length - len(first) - len(separator) - len(info) - len(after)
        return first + fill * room + separator + info + after

    for bits in HASHES:
        algorithm, hash = "RS" + bits, HASHES[bits]
        prefix = bytes.fromhex(DIGEST_INFO[bits])

        def pkcs1(comment, flags, make, valid=False):
            make_signature = lambda signed: power(make(prefix, hash(signed).digest(), signed))
            add("RSASSA-PKCS1-v1_5", algorithm, comment, flags, make_signature, valid)

        pkcs1("A good signature", "", lambda p, h, m: block(p + h), valid=True)
        for other in DIGEST_INFO:
            if other != bits:
                name = other if other.startswith("SHA") else f"SHA-{other}"
                wrong = bytes.fromhex(DIGEST_INFO[other])
                pkcs1(f"The prefix of {name} before the right hash", "WrongHash", lambda p, h, m: block(wrong + h))
                other_hash = HASHES.get(other, hashlib.sha1)
                pkcs1(f"A {name} signature", "WrongHash", lambda p, h, m: block(wrong + other_hash(m).digest()))
        pkcs1("No prefix before the hash", "Padding", lambda p, h, m: block(h))
        without_null = lambda p, h, m: block(
            bytes([0x30, p[1] - 2, 0x30, p[3] - 2]) + p[4:-4] + p[-2:] + h)
        pkcs1("The parameters of the hash, NULL, left out", "Padding", without_null)
        long_form = lambda p, h, m: block(bytes([0x30, 0x81, p[1]]) + p[2:] + h)
        pkcs1("A length of the prefix in its long form", "Padding", long_form)
        pkcs1("Another hash altogether", "WrongInput", lambda p, h, m: block(p + hash(h).digest()))
        pkcs1("Block type 2", "Padding", lambda p, h, m: block(p + h, first=b"\0\2"))
        pkcs1("Block type 0", "Padding", lambda p, h, m: block(p + h, first=b"\0\0", fill=b"\0"))
        pkcs1("The first byte is 1", "Padding", lambda p, h, m: block(p + h, first=b"\1\1"))
        pkcs1("Padding of zeros", "Padding", lambda p, h, m: block(p + h, fill=b"\0"))
        pkcs1("One byte of the padding is another", "Padding", lambda p, h, m: b"\0\1\xfe" + block(p + h)[3:])
        pkcs1("No zero behind the padding", "Padding", lambda p, h, m: block(p + h, separator=b""))
        pkcs1("Two zeros behind the padding", "Padding", lambda p, h, m: block(p + h, separator=b"\0\0"))
        pkcs1("Rubbish behind the hash", "Padding", lambda p, h, m: block(p + h, after=b"rubbish"))
        garbage = lambda p, h, m: b"\0\1" + b"\xff" * 8 + b"\0" + p + h + bytes(size - 11 - len(p) - len(h))
        pkcs1("Eight bytes of padding and rubbish behind the hash", "Padding", garbage)
        pkcs1("No padding", "Padding", lambda p, h, m: b"\0\1\0" + p + h + bytes(size - 3 - len(p) - len(h)))
        salted = lambda p, h, m: pss(h, n.bit_length() - 1, hash, bytes(range(hash().digest_size)))
        pkcs1("An RSASSA-PSS signature", "Confusion", salted)

        algorithm_pss = "PS" + bits
        salt = bytes(range(hash().digest_size))

        def salted_case(comment, flags, make, valid=False):
            make_signature = lambda signed: power(make(hash(signed).digest()))
            add("RSASSA-PSS", algorithm_pss, comment, flags, make_signature, valid)

        room = n.bit_length() - 1
        salted_case("A good signature", "", lambda h: pss(h, room, hash, salt), valid=True)
        salted_case("Another salt", "", lambda h: pss(h, room, hash, bytes(len(salt))), valid=True)
        longest = size - len(salt) - 2
        for length in (0, 20, len(salt) - 1, len(salt) + 1, longest):
            salted_case(f"A salt of {length} bytes", "SaltLength", lambda h: pss(h, room, hash, (salt * 9)[:length]))
        salted_case("MGF1 with SHA-1", "WrongHash", lambda h: pss(h, room, hash, salt, mask_hash=hashlib.sha1))
        salted_case("Another trailer", "Padding", lambda h: pss(h, room, hash, salt, trailer=0xCC))
        salted_case("Another separator", "Padding", lambda h: pss(h, room, hash, salt, separator=2))
        first_bit = lambda h: (lambda block: bytes([block[0] | 0x80]) + block[1:])(pss(h, room, hash, salt))
        salted_case("The first bit set", "Padding", first_bit)
        salted_case("The hash of the hash", "WrongInput", lambda h: pss(hash(h).digest(), room, hash, salt))
        for other in HASHES:
            if other != bits:
                add(
                    "RSASSA-PSS",
                    algorithm_pss,
                    f"A signature with SHA-{other}",
                    "WrongHash",
                    lambda m: power(pss(HASHES[other](m).digest(), room, HASHES[other], bytes(HASHES[other]().digest_size))),
                )
        as_pkcs1 = lambda m: power(block(prefix + hash(m).digest()))
        add("RSASSA-PSS", algorithm_pss, "An RSASSA-PKCS1-v1_5 signature", "Confusion", as_pkcs1)

    prefix = bytes.fromhex(DIGEST_INFO["256"])
    good = {
        "RSASSA-PKCS1-v1_5": ("RS256", lambda m: power(block(prefix + hashlib.sha256(m).digest()))),
        "RSASSA-PSS": ("PS256", lambda m: power(pss(hashlib.sha256(m).digest(), n.bit_length() - 1, hashlib.sha256, bytes(32)))),
    }
    for file, (algorithm, make) in good.items():
        for name, value in {"0": 0, "1": 1, "n - 1": n - 1, "n": n, "n + 1": n + 1, "all ones": 2**2048 - 1}.items():
            add(file, algorithm, f"The signature is the number {name}", "EdgeCase", value.to_bytes(size, "big"))
        add(file, algorithm, "Nothing", "Length", b"")
        add(file, algorithm, "The last byte missing", "Length", lambda m: make(m)[:-1])
        add(file, algorithm, "A zero byte behind", "Length", lambda m: make(m) + b"\0")
        add(file, algorithm, "A zero byte in front", "Length", lambda m: b"\0" + make(m))
        add(file, algorithm, "The signature twice", "Length", lambda m: make(m) * 2)
        add(file, algorithm, "Signed the header only", "WrongInput", lambda m: make(m.split(b".")[0]))

        # n begins with 0x9F, so some signatures leave room for the same number plus n, others begin with a zero byte.
        def search(condition):
            counter = 0
            while True:
                signed = signing_input({"alg": algorithm, "kid": "key"}, compact({"counter": counter}))
                signature = make(signed.encode())
                if condition(int.from_bytes(signature, "big")):
                    return signed, signature
                counter += 1

        signed, signature = search(lambda value: value + n < 2**2048)
        more = (int.from_bytes(signature, "big") + n).to_bytes(size, "big")
        add(file, algorithm, "The modulus added", "Malleable", more, token=token(signed, more))
        signed, signature = search(lambda value: value < 2**2040)
        add(file, algorithm, "It begins with a zero byte", "LeadingZero", b"", valid=True, token=token(signed, signature))
        add(file, algorithm, "The zero byte left out", "LeadingZero", b"", token=token(signed, signature[1:]))
    files["RSASSA-PKCS1-v1_5"].write("cases-rsa-pkcs1.json")
    files["RSASSA-PSS"].write("cases-rsa-pss.json")
    return private


# Keys.


def rsa_with_exponent_3():
    """An RSA key with the exponent 3, from the primes of the examples in RFCs that leave one."""
    primes = []
    for name in ("rfc7515.json", "rfc7517.json", "rfc7520.json"):
        with open(os.path.join(FOLDER, name)) as file:
            for case in json.load(file)["privateKeys"]:
                primes += [number(case["key"][member]) for member in ("p", "q") if member in case["key"]]
    fitting = sorted({prime for prime in primes if prime % 3 == 2}, reverse=True)
    return fitting[0] * fitting[1], pow(3, -1, (fitting[0] - 1) * (fitting[1] - 1))


def keys(private):
    cases = Cases("Keys that are not what they seem. (RFC 7517, RFC 7518 section 6, RFC 8037 section 2)")
    rsa_key = {"kty": "RSA", "n": private["n"], "e": private["e"]}
    modulus = number(private["n"])

    def refuse(comment, flags, key, error):
        cases.add(comment, flags, key=key, keyError=error)

    def accept(comment, flags, key):
        cases.add(comment, flags, key=key)

    accept("RSA of 2048 bits", "", rsa_key)
    short = number(private["p"])
    refuse("RSA of 1024 bits", "Weak", {**rsa_key, "n": minimal(short)}, "weakKey")
    refuse("RSA of 2047 bits", "Weak", {**rsa_key, "n": minimal(modulus >> 1 | 1)}, "weakKey")
    refuse("RSA of 512 bits", "Weak", {**rsa_key, "n": minimal(short >> 512 | 1)}, "weakKey")
    refuse("RSA of more than 16,384 bits", "TooLarge", {**rsa_key, "n": minimal(1 << 16384 | 1)}, "tooLarge")
    refuse("An even modulus", "Weak", {**rsa_key, "n": minimal(modulus + 1)}, "weakKey")
    refuse("A modulus of 0", "Weak", {**rsa_key, "n": "AA"}, 'malformed("n")')
    refuse("An empty modulus", "Weak", {**rsa_key, "n": ""}, 'malformed("n")')
    refuse("A zero byte before the modulus", "Encoding", {**rsa_key, "n": encode(b"\0" + decode(private["n"]))}, 'malformed("n")')
    refuse("Two zero bytes before the exponent", "Encoding", {**rsa_key, "e": encode(b"\0\0\1\0\1")}, 'malformed("e")')
    for name, exponent in {"0": "AA", "nothing": ""}.items():
        refuse(f"The exponent is {name}", "Weak", {**rsa_key, "e": exponent}, 'malformed("e")')
    for name, exponent in {"1": 1, "2": 2, "65536": 65536, "of 65 bits": 2**64 + 1}.items():
        refuse(f"The exponent is {name}", "Weak", {**rsa_key, "e": minimal(exponent)}, "weakKey")
    refuse("The exponent is a number in JSON", "Encoding", {**rsa_key, "e": 65537}, 'malformed("e")')
    refuse("The exponent is missing", "Missing", {"kty": "RSA", "n": private["n"]}, 'malformed("e")')
    refuse("The modulus is missing", "Missing", {"kty": "RSA", "e": "AQAB"}, 'malformed("n")')

    n3, d3 = rsa_with_exponent_3()
    key3 = {"kty": "RSA", "n": minimal(n3), "e": minimal(3), "kid": "key"}
    size = (n3.bit_length() + 7) // 8
    signed = signing_input({"alg": "RS256", "kid": "key"})
    info = bytes.fromhex(DIGEST_INFO["256"]) + hashlib.sha256(signed.encode()).digest()
    block = b"\0\1" + b"\xff" * (size - 3 - len(info)) + b"\0" + info
    good = pow(int.from_bytes(block, "big"), d3, n3).to_bytes(size, "big")
    cases.add("The exponent is 3: safe, since the whole padding is checked", "", key=key3, algorithm="RS256", token=token(signed, good))
    prefix = b"\0\1" + b"\xff" * 8 + b"\0" + info
    target = int.from_bytes(prefix + bytes(size - len(prefix)), "big")
    low, high = 0, 1 << (target.bit_length() // 3 + 2)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if middle**3 < target else (low, middle)
    assert (low**3).to_bytes(size, "big").startswith(prefix)
    cases.add(
        "A forgery for the exponent 3: a cube that begins like a padded hash",
        "Padding",
        key=key3,
        algorithm="RS256",
        token=token(signed, low.to_bytes(size, "big")),
        error="invalidSignature",
    )

    for curve in CURVES:
        good = curve.jwk(curve.times(5))
        name, size = curve.name, curve.size
        x, y = curve.times(5)
        accept(f"{name}", "", good)
        refuse(f"{name}: y is off by one", "OffCurve", curve.jwk((x, (y + 1) % curve.p)), "keyFailure")
        refuse(f"{name}: x and y exchanged", "OffCurve", curve.jwk((y, x)), "keyFailure")
        refuse(f"{name}: x and y are 0", "OffCurve", curve.jwk((0, 0)), "keyFailure")
        refuse(f"{name}: x and y are p", "OffCurve", curve.jwk((curve.p, curve.p)), "keyFailure")
        low_x, low_y = curve.point_at(1)
        accept(f"{name}: a small x", "", curve.jwk((low_x, low_y)))
        refuse(f"{name}: that x, not reduced", "NonCanonical", curve.jwk((low_x + curve.p, low_y)), "keyFailure")
        for comment, coordinate in {
            "one byte short": curve.bytes(x)[1:],
            "one byte long": b"\0" + curve.bytes(x),
            "empty": b"",
        }.items():
            refuse(f"{name}: x is {comment}", "Length", {**good, "x": encode(coordinate)}, 'malformed("x")')
        refuse(f"{name}: y is a byte short", "Length", {**good, "y": encode(curve.bytes(y)[:-1])}, 'malformed("y")')
        refuse(f"{name}: x is a whole uncompressed point", "Length", {**good, "x": encode(b"\4" + curve.bytes(x) + curve.bytes(y))}, 'malformed("x")')
        refuse(f"{name}: y is missing", "Missing", {m: v for m, v in good.items() if m != "y"}, 'malformed("y")')
        refuse(f"{name}: shows its private key", "Private", {**good, "d": encode(curve.bytes(5))}, "privateKeyMaterial")
        refuse(f"{name}: x with padding", "Base64", {**good, "x": base64.urlsafe_b64encode(curve.bytes(x)).decode() + "=" * (size % 3 == 0)}, "base64URL")
    for one, other in ((P256, P384), (P384, P521), (P521, P256)):
        refuse(f"A point of {one.name} named {other.name}", "Confusion", {**one.jwk(one.times(5)), "crv": other.name}, 'malformed("x")')
    ec = P256.jwk(P256.times(5))
    refuse("Nonzero bits behind the last byte of x", "Base64", {**ec, "x": ec["x"][:-1] + chr(ord(ec["x"][-1]) + 1)}, "base64URL")
    for name, character in {"a space": " ", "a line feed": "\n", "a plus": "+", "a slash": "/", "an equals sign": "=", "a full width A": "\uff21"}.items():
        refuse(f"x has {name} in it", "Base64", {**ec, "x": ec["x"][:20] + character + ec["x"][21:]}, "base64URL")
    refuse("x is an array", "Encoding", {**ec, "x": [ec["x"]]}, 'malformed("x")')
    refuse("secp256k1", "Unsupported", {**ec, "crv": "secp256k1"}, 'unsupportedKey("secp256k1")')
    refuse("The curve in small letters", "Unsupported", {**ec, "crv": "p-256"}, 'unsupportedKey("p-256")')
    refuse("The curve is missing", "Missing", {m: v for m, v in ec.items() if m != "crv"}, 'malformed("crv")')
    refuse("The key type in small letters", "Unsupported", {**ec, "kty": "ec"}, 'unsupportedKey("ec")')
    refuse("The key type is missing", "Missing", {m: v for m, v in ec.items() if m != "kty"}, 'malformed("kty")')
    refuse("The key type is null", "Missing", {**ec, "kty": None}, 'malformed("kty")')
    ed = {"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}
    accept("Ed25519", "", ed)
    refuse("The key type OKP with a Kelvin sign", "Unsupported", {**ed, "kty": "O\u212aP"}, 'unsupportedKey("O\u212aP")')
    refuse("Ed25519 as a key type EC", "Confusion", {**ed, "kty": "EC"}, 'unsupportedKey("Ed25519")')
    refuse("P-256 as a key type OKP", "Confusion", {**ec, "kty": "OKP"}, 'unsupportedKey("P-256")')
    for curve in ("X25519", "Ed448", "X448"):
        refuse(curve, "Unsupported", {**ed, "crv": curve}, f'unsupportedKey("{curve}")')
    refuse("A symmetric key", "Symmetric", {"kty": "oct", "k": "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ"}, "symmetricKey")
    refuse("A symmetric key that calls itself RSA", "Symmetric", {**rsa_key, "k": "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ"}, "symmetricKey")
    for member in ("d", "p", "q", "dp", "dq", "qi", "oth"):
        refuse(f"An RSA key with {member}", "Private", {**rsa_key, member: private.get(member, [])}, "privateKeyMaterial")
    refuse("A private member that is null", "Private", {**rsa_key, "d": None}, "privateKeyMaterial")
    accept("alg fits", "", {**ec, "alg": "ES256"})
    for algorithm in ("RS256", "ES384", "EdDSA"):
        refuse(f"A P-256 key for {algorithm}", "Confusion", {**ec, "alg": algorithm}, 'malformed("alg does not fit the key")')
    refuse("An RSA key for ES256", "Confusion", {**rsa_key, "alg": "ES256"}, 'malformed("alg does not fit the key")')
    for algorithm in ("HS256", "none", "ECDH-ES", "RSA-OAEP", "es256", "ES256K", ""):
        refuse(f'A key for "{algorithm}"', "Algorithm", {**ec, "alg": algorithm}, f'unsupportedAlgorithm("{algorithm}")')
    refuse("alg is a list", "Encoding", {**ec, "alg": ["ES256"]}, 'malformed("alg")')
    refuse("key_ops names an operation twice", "Encoding", {**ec, "key_ops": ["verify", "verify"]}, 'malformed("key_ops")')
    refuse("key_ops is a string", "Encoding", {**ec, "key_ops": "verify"}, 'malformed("key_ops")')
    for member in ("kid", "use"):
        refuse(f"{member} is a number", "Encoding", {**ec, member: 1}, f'malformed("{member}")')
    accept("Members that nobody defined", "", {**ec, "x-vendor": {"a": [1]}})
    twice = compact(ec)[:-1] + ',"x":"' + encode(P256.bytes(1)) + '"}'
    cases.add("x twice", "Duplicate", keyText=twice, keyError='json(duplicateMember("x"))')
    escaped = compact(ec)[:-1] + ',"k\\u0074y":"oct"}'
    cases.add("kty twice, once with an escape", "Duplicate", keyText=escaped, keyError='json(duplicateMember("kty"))')
    cases.write("cases-keys.json")


# Tokens.


def tokens(private):
    secret, k = 1234567, 7654321
    point = P256.times(secret)
    key = P256.jwk(point, kid="key")
    cases = Cases("Tokens whose form or header is not what it seems. (RFC 7515, RFC 8725)", key)
    rsa_key = {"kty": "RSA", "n": private["n"], "e": private["e"], "kid": "key"}
    three_parts = 'malformed("a compact token has three parts")'

    def sign(signed, by=secret):
        return token(signed, P256.raw(*P256.sign(signed, by, k)))

    def add(comment, flags, compact_token, **fields):
        cases.add(comment, flags, **{"key": key, "token": compact_token, **fields})

    def header(comment, flags, text, **fields):
        add(comment, flags, sign(signing_input(text)), **fields)

    good = {"alg": "ES256", "kid": "key"}
    whole = sign(signing_input(good))
    first, second, third = whole.split(".")
    add("A good token", "", whole)
    header("No kid", "", {"alg": "ES256"})
    add("Nothing", "Parts", "", error=three_parts)
    add("Two parts", "Parts", f"{first}.{second}", error=three_parts)
    add("Four parts", "Parts", f"{whole}.{third}", error=three_parts)
    add("Five parts, as of an encrypted token", "Parts", f"{first}.{second}.{third}.{third}.{third}", error=three_parts)
    add("Dots only", "Parts", "..", error="json(malformed(offset: 0))")
    add("An empty header", "Parts", f".{second}.{third}", error="json(malformed(offset: 0))")
    add("No payload", "Parts", f"{first}..{third}", error="invalidSignature")
    add("No signature", "Parts", f"{first}.{second}.", error="invalidSignature")
    add("An empty payload with a good signature", "Parts", sign(first + "."), error="json(malformed(offset: 0))")

    def last_bits(part):
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        assert len(part) % 4
        return part[:-1] + letters[letters.index(part[-1]) + 1]

    def spelled(comment, change):
        """The change in each part; the first two are signed as changed, so that only the spelling is wrong."""
        odd_header = encode(compact({**good, "typ": "JW"}).encode())
        odd_payload = encode(b'{"sub":"alice1"}')
        assert len(odd_header) % 4 and len(odd_payload) % 4
        add(f"{comment} in the header", "Base64", sign(f"{change(odd_header)}.{second}"), error="base64URL")
        add(f"{comment} in the payload", "Base64", sign(f"{first}.{change(odd_payload)}"), error="base64URL")
        add(f"{comment} in the signature", "Base64", f"{first}.{second}.{change(third)}", error="base64URL")

    spelled("Padding", lambda part: part + "=" * (-len(part) % 4))
    spelled("Bits behind the last byte", last_bits)
    spelled("A space", lambda part: part + " ")
    spelled("A line feed", lambda part: part[:8] + "\n" + part[8:])
    spelled("A plus", lambda part: "+" + part[1:])
    spelled("A slash", lambda part: part[:4] + "/" + part[5:])
    spelled("A NUL", lambda part: part + "\0")
    spelled("A letter outside of ASCII", lambda part: part + "\u00e9")
    spelled("A length of 1 modulo 4", lambda part: part + "A" * ((1 - len(part)) % 4))

    for name in ("none", "None", "NONE", "nOnE", "none ", "", "HS256", "HS384", "HS512", "hs256", "es256", "Es256", "ES256 ", " ES256", "ES256\0", "\uff25\uff33256", "ES256K", "Ed25519", "EdDSA448", "RSA-OAEP", "dir"):
        capped = name.replace("\0", "\ufffd")
        header(f"alg is {json.dumps(name)}", "Algorithm", {"alg": name, "kid": "key"}, error="noMatchingKey" if name == "Ed25519" else f'unsupportedAlgorithm("{capped}")')
    for name in ("none", "NONE", "nOnE"):
        bare = signing_input({"alg": name, "kid": "key"})
        add(f"alg is {name} and the signature is empty", "Algorithm", f"{bare}.", error=f'unsupportedAlgorithm("{name}")')
    for text, value in {"null": None, "a list": ["ES256"], "a number": 256, "an object": {}}.items():
        header(f"alg is {text}", "Algorithm", {"alg": value, "kid": "key"}, error='malformed("alg")')
    header("alg is missing", "Algorithm", {"kid": "key"}, error='malformed("alg")')
    header("ALG in capitals", "Algorithm", {"ALG": "ES256", "kid": "key"}, error='malformed("alg")')
    header("The algorithm is not accepted by the caller", "Algorithm", good, algorithm="RS256", error='algorithmNotAllowed("ES256")')

    pem = "-----BEGIN PUBLIC KEY-----\n" + base64.b64encode(
        bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d030107034200") + b"\4" + P256.bytes(point[0]) + P256.bytes(point[1])
    ).decode() + "\n-----END PUBLIC KEY-----\n"
    secrets = {"PEM": pem.encode(), "coordinates": P256.bytes(point[0]) + P256.bytes(point[1]), "JWK": compact(key).encode(), "nothing": b""}
    for name, shared in secrets.items():
        signed = signing_input({"alg": "HS256", "kid": "key"})
        mac = hmac.new(shared, signed.encode(), hashlib.sha256).digest()
        add(f"The public key as a shared secret: {name}", "Confusion", token(signed, mac), error='unsupportedAlgorithm("HS256")')
    for algorithm in ("RS256", "PS256", "ES384", "ES512", "EdDSA"):
        header(f"A P-256 key with {algorithm}", "Confusion", {"alg": algorithm, "kid": "key"}, error="noMatchingKey")
    for algorithm in ("ES256", "EdDSA"):
        header(f"An RSA key with {algorithm}", "Confusion", {"alg": algorithm, "kid": "key"}, key=rsa_key, error="noMatchingKey")
    header("A key that is for ES256 only", "", good, key={**key, "alg": "ES256"})
    header("A key for encryption", "Use", good, key={**key, "use": "enc"}, error="noMatchingKey")
    header("A key for signing only", "Use", good, key={**key, "key_ops": ["sign"]}, error="noMatchingKey")
    rsa_bound = {**rsa_key, "alg": "PS256"}
    header("An RSA key that is for PS256 only", "Confusion", {"alg": "RS256", "kid": "key"}, key=rsa_bound, error="noMatchingKey")

    header("Another kid", "KeyID", {"alg": "ES256", "kid": "other"}, error="noMatchingKey")
    header("The kid in capitals", "KeyID", {"alg": "ES256", "kid": "KEY"}, error="noMatchingKey")
    header("An empty kid", "KeyID", {"alg": "ES256", "kid": ""}, error="noMatchingKey")
    header("A kid that is canonically equivalent", "KeyID", {"alg": "ES256", "kid": "\u212aey"}, key={**key, "kid": "Key"}, error="noMatchingKey")
    header("A kid that is a path", "KeyID", {"alg": "ES256", "kid": "../../../../dev/null"}, error="noMatchingKey")
    for value in (1, None, ["key"]):
        header(f"kid is {json.dumps(value)}", "KeyID", {"alg": "ES256", "kid": value}, error='malformed("kid")')

    for name, value in {"empty": [], "exp": ["exp"], "b64": ["b64"], "a string": "exp", "null": None}.items():
        header(f"crit is {name}", "Critical", {**good, "crit": value, "exp": 1}, error="criticalHeader")
    for value in (True, False):
        header(f"b64 is {json.dumps(value)}", "Critical", {**good, "b64": value}, error="criticalHeader")
    header("b64 is false and critical", "Critical", {**good, "b64": False, "crit": ["b64"]}, error="criticalHeader")

    header("alg twice", "Duplicate", '{"alg":"none","alg":"ES256","kid":"key"}', error='json(duplicateMember("alg"))')
    header("alg twice, once with an escape", "Duplicate", '{"alg":"ES256","\\u0061lg":"none","kid":"key"}', error='json(duplicateMember("alg"))')
    header("kid twice", "Duplicate", '{"alg":"ES256","kid":"other","kid":"key"}', error='json(duplicateMember("kid"))')
    header("A member of a member twice", "Duplicate", '{"alg":"ES256","kid":"key","jwk":{"x":1,"x":2}}', error='json(duplicateMember("x"))')
    header("A comment", "Grammar", '{"alg":"ES256"/**/,"kid":"key"}', error="json(malformed(offset: 14))")
    header("A comma behind the last member", "Grammar", '{"alg":"ES256","kid":"key",}', error="json(malformed(offset: 27))")
    header("A second object behind", "Grammar", '{"alg":"ES256","kid":"key"}{}', error="json(malformed(offset: 27))")
    header("A byte order mark", "Grammar", "\ufeff" + compact(good), error="json(malformed(offset: 0))")
    header("A list", "Grammar", '["ES256"]', error="json(notAnObject)")
    header("A string", "Grammar", '"ES256"', error="json(notAnObject)")
    header("A byte that is no UTF-8", "Grammar", b'{"alg":"ES256","kid":"k\xff"}', error="json(notUTF8)")
    header("An overlong slash", "Grammar", b'{"alg":"ES256","kid":"\xc0\xaf"}', error="json(notUTF8)")
    header("Half a surrogate pair", "Grammar", '{"alg":"ES256","kid":"\\ud800"}', error="json(notUTF8)")
    header("White space round everything", "", ' {\n"alg" : "ES256" ,\t"kid":"key" }\r\n')

    stranger = secret + 1
    stranger_key = P256.jwk(P256.times(stranger))
    for member, value in {
        "jwk": stranger_key,
        "x5c": ["MIIB"],
        "jku": "https://attacker.example/keys",
        "x5u": "https://attacker.example/certificate",
        "x5t#S256": encode(bytes(32)),
    }.items():
        signed = signing_input({**good, member: value})
        add(f"{member} of a stranger, signed by the stranger", "HeaderKey", sign(signed, by=stranger), error="invalidSignature")
        add(f"{member} of a stranger, signed by the issuer: it is not looked at", "HeaderKey", sign(signed))
    with_key = signing_input({"alg": "ES256", "jwk": stranger_key})
    add("jwk of a stranger without kid", "HeaderKey", sign(with_key, by=stranger), error="invalidSignature")

    def payload(comment, text, error):
        add(comment, "Payload", sign(signing_input(good, text)), error=error)

    payload("The payload is a list", "[]", "json(notAnObject)")
    payload("The payload is null", "null", "json(notAnObject)")
    payload("The payload is text", "hello", "json(malformed(offset: 0))")
    payload("A claim twice", '{"sub":"alice","sub":"bob"}', 'json(duplicateMember("sub"))')
    payload("A claim twice, once with an escape", '{"sub":"alice","s\\u0075b":"bob"}', 'json(duplicateMember("sub"))')
    payload("A byte that is no UTF-8 in the payload", b'{"sub":"\xff"}', "json(notUTF8)")
    payload("A byte order mark before the payload", "\ufeff{}", "json(malformed(offset: 0))")
    payload("Nesting of 17 levels", '{"a":' + "[" * 16 + "]" * 16 + "}", "json(tooDeep)")
    cases.write("cases-tokens.json")


for each in CURVES:
    ecdsa(each)
eddsa()
example = rsa()
keys(example)
tokens(example)
