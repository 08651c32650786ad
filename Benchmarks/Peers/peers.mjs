// Verifies a token with node's crypto, and prints its name and the processor time of one verification.
//
//     node peers.mjs ALGORITHM TOKEN KEY      KEY is a JSON Web Key; the time is in nanoseconds
import { constants, createPublicKey, verify } from "node:crypto";

const iterations = 1000;
const [algorithm, token, text] = process.argv.slice(2);
const hash = algorithm === "EdDSA" ? null : "sha256";
const key = { key: createPublicKey({ key: JSON.parse(text), format: "jwk" }), dsaEncoding: "ieee-p1363" };
if (algorithm === "PS256") {
    key.padding = constants.RSA_PKCS1_PSS_PADDING;
    key.saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
}

function claims() {
    const [header, payload, signature] = token.split(".");
    if (JSON.parse(Buffer.from(header, "base64url")).alg !== algorithm) throw new Error("another algorithm");
    const input = Buffer.from(`${header}.${payload}`);
    if (!verify(hash, input, key, Buffer.from(signature, "base64url"))) throw new Error("an invalid signature");
    return JSON.parse(Buffer.from(payload, "base64url"));
}

// The virtual machine compiles it first.
for (let count = 0; count < iterations; count += 1) claims();
const start = process.cpuUsage();
for (let count = 0; count < iterations; count += 1) claims();
const { user, system } = process.cpuUsage(start);
console.log(`node ${process.versions.node}, crypto\t${((user + system) * 1000) / iterations}`);
