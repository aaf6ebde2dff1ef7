/** Signed messages as Bitcoin Core's signmessage makes them, and BIP137's header bytes for segwit addresses when verifying. */
import { recover, signRecoverable } from 'tiny-secp256k1';
import { ByteWriter } from '../blocks/byte-writer.ts';
import { hash256 } from '../hashes.ts';
import { outputKind } from '../relay-policy/standard-scripts.ts';
import { p2pkh, p2sh, p2wpkh } from '../scripts/output-scripts.ts';
import { type MessageVerdict, refused } from './message-verdict.ts';

const MAGIC = Buffer.from('Bitcoin Signed Message:\n');
/** Header bytes: from 27 with uncompressed keys, 31 compressed, 35 P2SH-P2WPKH, 39 P2WPKH; the lowest two bits are the recovery id. */
const FIRST_HEADER = 27;
const LAST_HEADER = 42;
const COMPRESSED = 4;

type KeyForm = 'uncompressed' | 'compressed' | 'nested' | 'segwit';
const FORMS: readonly KeyForm[] = ['uncompressed', 'compressed', 'nested', 'segwit'];

/** What is signed: the message behind its length and that of a magic text, hashed twice. */
function compactMessageHash(message: Uint8Array): Buffer {
  return hash256(new ByteWriter(message.length + 40).prefixed(MAGIC).prefixed(message).done());
}

/** 65 bytes: header, r, s. The caller overwrites the key. */
export function signCompact(message: Uint8Array, privateKey: Uint8Array, compressed: boolean): Buffer {
  const { signature, recoveryId } = signRecoverable(compactMessageHash(message), privateKey);
  return Buffer.concat([Uint8Array.of(FIRST_HEADER + recoveryId + (compressed ? COMPRESSED : 0)), signature]);
}

/** `script`: the address's. */
export function verifyCompact(script: Uint8Array, message: Uint8Array, signature: Uint8Array): MessageVerdict {
  const header = signature[0] as number;
  if (header < FIRST_HEADER || header > LAST_HEADER)
    return refused('invalid', 'legacy', `no compact signature begins with byte ${header}`);
  const form = FORMS[(header - FIRST_HEADER) >> 2] as KeyForm;
  const format = form === 'nested' || form === 'segwit' ? 'bip137' : 'legacy';
  const kind = outputKind(script);
  if (kind !== KIND_OF[form])
    return refused('invalid', format, `the signature is for a ${KIND_OF[form]} address, and this one is ${kind}`);
  const key = recoveredKey(message, signature, form !== 'uncompressed');
  if (key === null) return refused('invalid', format, 'no public key can be recovered from the signature');
  if (Buffer.compare(scriptOf(form, key), script) !== 0)
    return refused('invalid', format, "the signature is of another message, or by another key than the address's");
  return { state: 'valid', format, reason: null, scriptError: null, validAt: null, claimed: [] };
}

const KIND_OF: Readonly<Record<KeyForm, string>> = {
  uncompressed: 'p2pkh',
  compressed: 'p2pkh',
  nested: 'p2sh',
  segwit: 'p2wpkh',
};

function recoveredKey(message: Uint8Array, signature: Uint8Array, compressed: boolean): Uint8Array | null {
  const recoveryId = (((signature[0] as number) - FIRST_HEADER) & 3) as 0 | 1 | 2 | 3;
  try {
    return recover(compactMessageHash(message), signature.subarray(1), recoveryId, compressed);
  } catch {
    return null; // r or s beyond the curve's order
  }
}

function scriptOf(form: KeyForm, key: Uint8Array): Buffer {
  if (form === 'segwit') return p2wpkh(key);
  return form === 'nested' ? p2sh(p2wpkh(key)) : p2pkh(key);
}
