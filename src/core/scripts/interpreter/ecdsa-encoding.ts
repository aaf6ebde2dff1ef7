import { compactFromDer } from '../der-signature.ts';
import { isEcdsaSighash } from '../sighash-type.ts';
import { fail } from './script-error.ts';
import type { ScriptFlags } from './script-flags.ts';

const HALF_ORDER = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex');
const ORDER = Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex');

/** Fails where an ECDSA signature (DER, then its hash type) breaks a rule of the flags. The empty one is always well encoded. */
export function checkSignatureEncoding(signature: Uint8Array, flags: ScriptFlags): void {
  if (signature.length === 0) return;
  const lowS = flags.has('LOW_S');
  const strict = flags.has('STRICTENC');
  if ((lowS || strict || flags.has('DERSIG')) && !isStrictDer(signature)) fail('SIG_DER');
  if (lowS && hasHighS(signature)) fail('SIG_HIGH_S');
  if (strict && !isEcdsaSighash(signature[signature.length - 1] as number)) fail('SIG_HASHTYPE');
}

/** Fails where a public key breaks a rule of the flags. */
export function checkKeyEncoding(key: Uint8Array, flags: ScriptFlags, segwit: boolean): void {
  const compressed = key.length === 33 && (key[0] === 2 || key[0] === 3);
  if (flags.has('STRICTENC') && !compressed && !(key.length === 65 && key[0] === 4)) fail('PUBKEYTYPE');
  if (segwit && flags.has('WITNESS_PUBKEYTYPE') && !compressed) fail('WITNESS_PUBKEYTYPE');
}

/** BIP66, about the whole signature with its hash type; r and s may be of any size that the length allows. */
function isStrictDer(signature: Uint8Array): boolean {
  const { length } = signature;
  if (length < 9 || length > 73 || signature[0] !== 0x30 || signature[1] !== length - 3) return false;
  const afterR = endOfInteger(signature, 2);
  return afterR !== null && endOfInteger(signature, afterR) === length - 1;
}

/** Where the integer that starts at `at` ends; null where it is none, negative or padded. */
function endOfInteger(signature: Uint8Array, at: number): number | null {
  const size = signature[at + 1];
  if (signature[at] !== 0x02 || !size || at + 2 + size > signature.length - 1) return null;
  const first = signature[at + 2] as number;
  if (first & 0x80) return null;
  if (first === 0 && size > 1 && !((signature[at + 3] as number) & 0x80)) return null;
  return at + 2 + size;
}

/** An s beyond the curve's order is not high but no signature at all, as libsecp256k1 has it. */
function hasHighS(signature: Uint8Array): boolean {
  const compact = compactFromDer(signature.subarray(0, -1));
  if (!compact) return false;
  const s = compact.subarray(32);
  const inGroup = Buffer.compare(s, ORDER) < 0 && Buffer.compare(compact.subarray(0, 32), ORDER) < 0;
  return inGroup && Buffer.compare(s, HALF_ORDER) > 0;
}

/**
 * r and s (64 bytes) of a signature without its hash type, in any of the encodings that OpenSSL once took and that blocks from before BIP66
 * hold; null where there is no signature in it.
 */
export function compactFromLaxDer(der: Uint8Array): Uint8Array | null {
  if (der[0] !== 0x30 || der.length < 2) return null;
  const size = der[1] as number;
  // How long the sequence claims to be does not matter, only where its length ends.
  const start = 2 + (size & 0x80 ? size - 0x80 : 0);
  const r = laxInteger(der, start);
  const s = r && laxInteger(der, r.end);
  if (!r || !s) return null;
  const compact = new Uint8Array(64);
  for (const [value, end] of [
    [r.value, 32],
    [s.value, 64],
  ] as const) {
    const from = value.findIndex((byte) => byte !== 0);
    const digits = from === -1 ? value.subarray(0, 0) : value.subarray(from);
    if (digits.length > 32) return null;
    compact.set(digits, end - digits.length);
  }
  return compact;
}

function laxInteger(der: Uint8Array, start: number): { value: Uint8Array; end: number } | null {
  let at = start;
  if (der[at++] !== 0x02) return null;
  const first = der[at++];
  if (first === undefined) return null;
  let size = first;
  if (first & 0x80) {
    let width = first - 0x80;
    if (width > der.length - at) return null;
    for (; width > 0 && der[at] === 0; width--) at++;
    if (width >= 8) return null;
    size = 0;
    for (; width > 0; width--) size = size * 256 + (der[at++] as number);
  }
  return size > der.length - at ? null : { value: der.subarray(at, at + size), end: at + size };
}
