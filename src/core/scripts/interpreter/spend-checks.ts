import type { ParsedInput } from '../../blocks/transaction.ts';
import type { Secp256k1 } from '../../keys/secp256k1.ts';
import { isSchnorrSighash, SIGHASH_DEFAULT, signsOneOutput } from '../sighash-type.ts';
import type { SignatureHasher } from '../signature-hash.ts';
import { compactFromLaxDer } from './ecdsa-encoding.ts';
import { fail } from './script-error.ts';
import { NO_CODE_SEPARATOR, type ScriptVersion, type TapscriptContext } from './script-version.ts';

export type SignatureVerifier = Pick<Secp256k1, 'verify' | 'verifySchnorr'>;

/** Told of what the flags do not judge: BIP322 has rules about both. */
export interface SpendObserver {
  /** The hash type of a signature that was checked and is right. */
  signature(hashType: number): void;
  /** OP_CODESEPARATOR stands in a script that is run, within an unexecuted branch too. */
  codeSeparator(): void;
}

type SchnorrContext = Pick<TapscriptContext, 'annex'> & {
  readonly leafHash: Uint8Array | null;
  readonly codeSeparator: number;
};

const LOCK_TIME_THRESHOLD = 500_000_000;
const SEQUENCE_FINAL = 0xffffffff;
const SEQUENCE_DISABLED = 0x80000000;
const SEQUENCE_TYPE = 0x00400000;
const SEQUENCE_MASK = SEQUENCE_TYPE | 0xffff;
/** What SIGHASH_SINGLE without an output of its index signs before segwit: the number one. */
const ONE = Uint8Array.from({ length: 32 }, (_, at) => (at === 0 ? 1 : 0));

/**
 * What scripts ask about input `index` of a transaction. What was verified once is remembered until the input is done: a script that
 * checks the same signature two hundred times costs one verification.
 */
export function spendChecks(
  hasher: SignatureHasher,
  index: number,
  ecc: SignatureVerifier,
  observer: SpendObserver | null,
) {
  const { transaction } = hasher;
  const { sequence } = transaction.inputs[index] as ParsedInput;
  const hashes = new Map<number, Uint8Array>();
  let hashedCode: Uint8Array | null = null;
  const verified = new Map<string, boolean>();

  /** The last script code's hashes are kept: most scripts have only one. */
  const hashOf = (scriptCode: Uint8Array, hashType: number, version: ScriptVersion): Uint8Array => {
    if (hashedCode !== scriptCode) hashes.clear();
    hashedCode = scriptCode;
    let hash = hashes.get(hashType);
    if (!hash) {
      if (version === 'witness-v0') hash = hasher.segwitV0(index, scriptCode, hashType);
      else if (signsOneOutput(hashType) && index >= transaction.outputs.length) hash = ONE;
      else hash = hasher.legacy(index, scriptCode, hashType);
      hashes.set(hashType, hash);
    }
    return hash;
  };

  const verify = (hash: Uint8Array, key: Uint8Array, signature: Uint8Array): boolean => {
    const name = [hash, key, signature].map((part) => Buffer.from(part).toString('latin1')).join('|');
    const known = verified.get(name);
    if (known !== undefined) return known;
    const result = verifiesEcdsa(ecc, hash, key, signature);
    verified.set(name, result);
    return result;
  };

  return {
    observer,
    /** A signature (with its hash type) before tapscript. */
    ecdsa(signature: Uint8Array, key: Uint8Array, scriptCode: Uint8Array, version: ScriptVersion) {
      const point = pointOf(key);
      if (!point || signature.length === 0) return false;
      const hashType = signature[signature.length - 1] as number;
      const right = verify(hashOf(scriptCode, hashType, version), point, signature.subarray(0, -1));
      if (right) observer?.signature(hashType);
      return right;
    },
    /** A signature by BIP341's rules; fails where it is wrong. `codeSeparator` is of a tapscript. */
    schnorr(signature: Uint8Array, key: Uint8Array, { leafHash, annex, codeSeparator }: SchnorrContext) {
      if (signature.length !== 64 && signature.length !== 65) fail('SCHNORR_SIG_SIZE');
      const hashType = signature.length === 64 ? SIGHASH_DEFAULT : (signature[64] as number);
      if (signature.length === 65 && hashType === SIGHASH_DEFAULT) fail('SCHNORR_SIG_HASHTYPE');
      if (!isSchnorrSighash(hashType)) fail('SCHNORR_SIG_HASHTYPE');
      if (signsOneOutput(hashType) && index >= transaction.outputs.length) fail('SCHNORR_SIG_HASHTYPE');
      const hash = hasher.taproot(index, hashType, {
        ...(leafHash && { leafHash }),
        ...(annex && { annex }),
        ...(codeSeparator !== NO_CODE_SEPARATOR && { codeSeparator }),
      });
      if (!verifiesSchnorr(ecc, hash, key, signature.subarray(0, 64))) fail('SCHNORR_SIG');
      observer?.signature(hashType);
    },
    satisfiesLockTime(lockTime: number) {
      const { locktime } = transaction;
      if (lockTime < LOCK_TIME_THRESHOLD !== locktime < LOCK_TIME_THRESHOLD) return false;
      return lockTime <= locktime && sequence !== SEQUENCE_FINAL;
    },
    satisfiesSequence(required: number) {
      if (transaction.version < 2 || sequence >= SEQUENCE_DISABLED) return false;
      const has = sequence & SEQUENCE_MASK;
      const asks = (required % SEQUENCE_DISABLED) & SEQUENCE_MASK;
      return has < SEQUENCE_TYPE === asks < SEQUENCE_TYPE && asks <= has;
    },
  };
}

export type SpendChecks = ReturnType<typeof spendChecks>;

/** A key that may stand for a point, OpenSSL's hybrid form as the uncompressed one that it equals; else null. */
function pointOf(key: Uint8Array): Uint8Array | null {
  const prefix = key[0];
  if (prefix === 2 || prefix === 3) return key.length === 33 ? key : null;
  if (key.length !== 65) return null;
  if (prefix === 4) return key;
  if ((prefix !== 6 && prefix !== 7) || ((key[64] as number) & 1) !== (prefix & 1)) return null;
  const uncompressed = Uint8Array.from(key);
  uncompressed[0] = 4;
  return uncompressed;
}

function verifiesEcdsa(ecc: SignatureVerifier, hash: Uint8Array, key: Uint8Array, signature: Uint8Array): boolean {
  const compact = compactFromLaxDer(signature);
  if (!compact) return false;
  try {
    return ecc.verify(hash, key, compact);
  } catch {
    return false; // no point of the curve, or r or s beyond its order
  }
}

/** An x-only key that is on no curve point makes the verifier throw: nobody can sign for it. */
function verifiesSchnorr(ecc: SignatureVerifier, hash: Uint8Array, key: Uint8Array, signature: Uint8Array): boolean {
  try {
    return ecc.verifySchnorr(hash, key, signature);
  } catch {
    return false;
  }
}
