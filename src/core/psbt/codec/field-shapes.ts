import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { MAX_SATS } from '../../amount.ts';
import { ByteCursor, readUint32 } from '../../blocks/byte-cursor.ts';
import { MalformedDataError } from '../../blocks/malformed-data-error.ts';
import { emptyLayout, walkTransaction } from '../../blocks/transaction-layout.ts';

/** What bytes of a field must look like: in words ("must be …"), and as a test of bytes[start, end) that reads nothing outside. */
export interface Shape {
  readonly is: string;
  /** Of a value, `keyStart` and `keyEnd` tell where its key data lies. May throw MalformedDataError, which says more. */
  readonly fits: (bytes: Uint8Array, start: number, end: number, keyStart: number, keyEnd: number) => boolean;
}

const exactly = (length: number, is: string): Shape => ({
  is: `${is}, ${length} bytes`,
  fits: (_, start, end) => end - start === length,
});

const isCompressed = (bytes: Uint8Array, at: number): boolean => bytes[at] === 0x02 || bytes[at] === 0x03;

/** Form only: whether there is such a point on the curve is seen by whoever computes with it. */
export const publicKey: Shape = {
  is: 'a public key, 33 bytes that start with 02 or 03, or 65 that start with 04',
  fits: (bytes, start, end) =>
    (end - start === 33 && isCompressed(bytes, start)) || (end - start === 65 && bytes[start] === 0x04),
};
export const compressedKey: Shape = {
  is: 'a compressed public key, 33 bytes that start with 02 or 03',
  fits: (bytes, start, end) => end - start === 33 && isCompressed(bytes, start),
};
export const xOnlyKey = exactly(32, 'an x-only public key (BIP340)');
export const hash20 = exactly(20, 'a hash');
export const hash32 = exactly(32, 'a hash');
export const uint8 = exactly(1, 'a number');
export const uint32 = exactly(4, 'a 32-bit little-endian number');
export const tweak = exactly(32, 'a tweak');
export const proof64 = exactly(64, 'a DLEQ proof (BIP374)');
export const partialSignature = exactly(32, 'a partial signature (BIP327)');
export const anyBytes: Shape = { is: 'bytes', fits: () => true };
export const utf8Text: Shape = {
  is: 'text in UTF-8',
  fits: (bytes, start, end) => isUtf8(bytes.subarray(start, end)),
};

export const tapScriptSigner = exactly(64, 'an x-only public key and a leaf hash of 32 bytes each');

export const schnorrSignature: Shape = {
  is: 'a Schnorr signature of 64 bytes, or 65 with its hash type',
  fits: (_, start, end) => end - start === 64 || end - start === 65,
};

export const ecdsaSignature: Shape = {
  is: 'an ECDSA signature in strict DER (BIP66), followed by its hash type, 9 to 73 bytes',
  fits: (bytes, start, end) => {
    const length = end - start;
    if (length < 9 || length > 73 || bytes[start] !== 0x30 || bytes[start + 1] !== length - 3) return false;
    const s = derIntegerEnd(bytes, start + 2, end - 1);
    return s !== null && derIntegerEnd(bytes, s, end - 1) === end - 1;
  },
};

/** Where the DER integer at `start` ends; null where it is none, is negative, or has a zero byte too many. */
function derIntegerEnd(bytes: Uint8Array, start: number, limit: number): number | null {
  if (start + 2 >= limit || bytes[start] !== 0x02) return null;
  const length = bytes[start + 1] as number;
  const first = bytes[start + 2] as number;
  if (length === 0 || start + 2 + length > limit || first >= 0x80) return null;
  if (length > 1 && first === 0 && (bytes[start + 3] as number) < 0x80) return null;
  return start + 2 + length;
}

export const amount: Shape = {
  is: 'an amount from 0 to 21,000,000 BTC in satoshis, a 64-bit little-endian number, 8 bytes',
  fits: (bytes, start, end) => end - start === 8 && isAmount(bytes, start),
};

const MAX_AMOUNT = Number(MAX_SATS);
const isAmount = (bytes: Uint8Array, at: number): boolean =>
  readUint32(bytes, at + 4) * 0x100000000 + readUint32(bytes, at) <= MAX_AMOUNT;

/** Network serialization, witnesses or not. */
export const transaction: Shape = {
  is: 'one transaction in network serialization',
  fits: (bytes, start, end) => {
    const cursor = new ByteCursor(bytes.subarray(start, end));
    walkTransaction(cursor, null, emptyLayout());
    return cursor.remaining === 0;
  },
};

export const transactionOutput: Shape = {
  is: 'a transaction output: an amount from 0 to 21,000,000 BTC, 8 bytes, then the length of its script, then the script',
  fits: (bytes, start, end) => {
    if (end - start < 9 || !isAmount(bytes, start)) return false;
    const cursor = new ByteCursor(bytes.subarray(start, end), 8);
    cursor.skip(cursor.compactSize("the script's length"), 'the script');
    return cursor.remaining === 0;
  },
};

export const witnessStack: Shape = {
  is: 'a witness: the count of its items, then each item with its length',
  fits: (bytes, start, end) => {
    const cursor = new ByteCursor(bytes.subarray(start, end));
    const items = cursor.count(1, 'the count');
    for (let item = 0; item < items; item++) cursor.skip(cursor.compactSize("an item's length"), 'an item');
    return cursor.remaining === 0;
  },
};

const isPath = (length: number): boolean => length >= 4 && length % 4 === 0;

export const keyOrigin: Shape = {
  is: "a master key's fingerprint, 4 bytes, then a derivation path of 4 bytes for each step",
  fits: (_, start, end) => isPath(end - start),
};

export const tapKeyOrigin: Shape = {
  is: "the count of leaf hashes, those hashes of 32 bytes each, a master key's fingerprint, 4 bytes, then a path of 4 bytes for each step",
  fits: (bytes, start, end) => {
    const cursor = new ByteCursor(bytes.subarray(start, end));
    const hashes = cursor.count(32, 'the count of leaf hashes');
    return isPath(cursor.remaining - hashes * 32);
  },
};

export const extendedPublicKey: Shape = {
  is: 'an extended public key as BIP32 serializes it, 78 bytes, without checksum',
  fits: (bytes, start, end) => end - start === 78 && isCompressed(bytes, start + 45),
};

/** BIP174: as many steps as the extended key's depth says, the fifth byte of its serialization. */
export const extendedKeyOrigin: Shape = {
  is: "a master key's fingerprint, 4 bytes, then a path of 4 bytes for each step, as many as the extended key is deep",
  fits: (bytes, start, end, keyStart) => end - start === 4 + 4 * (bytes[keyStart + 4] as number),
};

export const preimageOf = (...algorithms: readonly string[]): Shape => ({
  is: `the preimage whose hash (${algorithms.join(', then ')}) is the key data`,
  fits: (bytes, start, end, keyStart, keyEnd) => {
    let digest: Uint8Array = bytes.subarray(start, end);
    for (const algorithm of algorithms) digest = hash(algorithm, digest, 'buffer');
    return Buffer.compare(digest, bytes.subarray(keyStart, keyEnd)) === 0;
  },
});

const MAX_DEPTH = 128;

export const controlBlock: Shape = {
  is: 'a control block (BIP341): 33 bytes and 32 for each step up the tree, at most 128 steps',
  fits: (_, start, end) => (end - start) % 32 === 1 && end - start >= 33 && end - start <= 33 + 32 * MAX_DEPTH,
};

export const leafScript: Shape = {
  is: 'a script followed by its leaf version, one byte, the one that the control block begins with',
  fits: (bytes, start, end, keyStart) =>
    end > start && (bytes[end - 1] as number) === ((bytes[keyStart] as number) & 0xfe),
};

export const tapTree: Shape = {
  is: 'the leaves of one whole tree, depth first: of each its depth (up to 128), an even leaf version, the length of its script, the script',
  fits: (bytes, start, end) => {
    const cursor = new ByteCursor(bytes.subarray(start, end));
    const open: boolean[] = [];
    while (cursor.remaining > 0) {
      const depth = cursor.uint8('a depth');
      const version = cursor.uint8('a leaf version');
      cursor.skip(cursor.compactSize("a script's length"), 'a script');
      if (depth > MAX_DEPTH || version % 2 !== 0 || !placeLeaf(open, depth)) return false;
    }
    return open.length === 1 && open[0] === true;
  },
};

/**
 * Puts a leaf into a tree that is built depth first: `open[d]` says that a left sibling waits at depth d. Two siblings become one node
 * a level up. False where the leaf cannot come here.
 */
function placeLeaf(open: boolean[], leafDepth: number): boolean {
  let depth = leafDepth;
  if (depth + 1 < open.length) return false;
  while (open.length > depth && open[depth]) {
    if (depth === 0) return false;
    open.pop();
    depth--;
  }
  while (open.length <= depth) open.push(false);
  open[depth] = true;
  return true;
}

/** BIP327 aggregates at least one key. */
export const participantKeys: Shape = {
  is: 'compressed public keys of 33 bytes each, at least one',
  fits: (bytes, start, end) => {
    if (end === start || (end - start) % 33 !== 0) return false;
    for (let at = start; at < end; at += 33) if (!isCompressed(bytes, at)) return false;
    return true;
  },
};

export const musigSigner: Shape = {
  is: "a participant's compressed public key, the aggregate's, 33 bytes each, and for a leaf script its leaf hash of 32 bytes",
  fits: (bytes, start, end) =>
    (end - start === 66 || end - start === 98) && isCompressed(bytes, start) && isCompressed(bytes, start + 33),
};

export const publicNonce: Shape = {
  is: 'a public nonce (BIP327), two compressed points of 33 bytes each',
  fits: (bytes, start, end) => end - start === 66 && isCompressed(bytes, start) && isCompressed(bytes, start + 33),
};

export const silentPaymentKeys: Shape = {
  is: 'the scan key and the spend key of a silent payment address, 33 bytes each, compressed',
  fits: publicNonce.fits,
};

export const count: Shape = {
  is: 'a count as a compact size',
  fits: (bytes, start, end) => {
    const width = bytes[start] === 0xfd ? 3 : bytes[start] === 0xfe ? 5 : bytes[start] === 0xff ? 9 : 1;
    return end - start === width && readCount(bytes, start, end) !== null;
  },
};

/** The count that a value holds; null where it is not in its shortest form or above 2^32, more than any bytes can hold. */
export function readCount(bytes: Uint8Array, start: number, end: number): number | null {
  const first = bytes[start] as number;
  if (end - start === 1) return first;
  if (end - start === 3) {
    const value = (bytes[start + 1] as number) | ((bytes[start + 2] as number) << 8);
    return value < 0xfd ? null : value;
  }
  const value = readUint32(bytes, start + 1);
  return end - start === 5 && value > 0xffff ? value : null;
}

const LOCKTIME_THRESHOLD = 500_000_000;

export const timeLocktime: Shape = {
  is: 'a Unix time of at least 500000000, a 32-bit little-endian number, 4 bytes',
  fits: (bytes, start, end) => end - start === 4 && readUint32(bytes, start) >= LOCKTIME_THRESHOLD,
};

export const heightLocktime: Shape = {
  is: 'a block height above 0 and below 500000000, a 32-bit little-endian number, 4 bytes',
  fits: (bytes, start, end) => {
    const height = end - start === 4 ? readUint32(bytes, start) : 0;
    return height > 0 && height < LOCKTIME_THRESHOLD;
  },
};

export const dnssecProof: Shape = {
  is: 'a name of BIP353 with its length in one byte, then its DNSSEC proof',
  fits: (bytes, start, end) => end > start && bytes[start] !== 0 && start + 1 + (bytes[start] as number) <= end,
};

export const proprietaryKey: Shape = {
  is: "an identifier with its length, then a subtype as a compact size, then the subtype's own key data",
  fits: (bytes, start, end) => {
    const cursor = new ByteCursor(bytes.subarray(start, end));
    cursor.skip(cursor.compactSize("the identifier's length"), 'the identifier');
    const first = cursor.uint8('the subtype');
    if (first < 0xfd) return true;
    const width = first === 0xfd ? 2 : first === 0xfe ? 4 : 8;
    const at = cursor.skip(width, 'the subtype') + start;
    let high = 0;
    for (let byte = at + width / 2; byte < at + width; byte++) high |= bytes[byte] as number;
    if (high === 0 && (width > 2 || (bytes[at] as number) < 0xfd))
      throw new MalformedDataError('the subtype is not in its shortest form', at - start);
    return true;
  },
};
