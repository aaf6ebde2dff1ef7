import { createHash } from 'node:crypto';
import type { Transaction } from 'bitcoinjs-lib';
import { compactSizeLength } from '../policy/dust.ts';

/** An output that an input spends. */
export interface SpentOutput {
  readonly amountSats: bigint;
  readonly scriptPubKey: Uint8Array;
}

/**
 * Signature hashes of one transaction for SIGHASH_ALL (legacy, BIP143) and SIGHASH_DEFAULT (BIP341 key path). What all inputs share is
 * hashed once, so that signing n segwit inputs takes n steps; bitcoinjs-lib's hashForWitness functions take n steps for each.
 */
export interface SighashCache {
  /** BIP143, P2WPKH's script code for a key hash of 20 bytes. */
  witnessV0(input: number, publicKeyHash: Uint8Array): Buffer;
  /** BIP341, key path, no annex. */
  taproot(input: number): Buffer;
  /** Before segwit, P2PKH. Hashes the whole transaction by definition. */
  legacy(input: number, scriptCode: Uint8Array): Buffer;
}

const SIGHASH_ALL = 1;
const OUTPOINT_SIZE = 36;
/** Outpoint, length of an empty script, sequence. */
const BLANK_INPUT_SIZE = OUTPOINT_SIZE + 1 + 4;
const TAPROOT_SIGHASH_TAG = sha256(Buffer.from('TapSighash'));

/** `spent` holds the outputs that the inputs spend, in their order. */
export function createSighashCache(transaction: Transaction, spent: readonly SpentOutput[]): SighashCache {
  const version = uint32(transaction.version);
  const locktime = uint32(transaction.locktime);
  const outpoints = transaction.ins.map((input) => Buffer.concat([input.hash, uint32(input.index)]));
  const sequences = transaction.ins.map((input) => uint32(input.sequence));
  const amounts = spent.map(({ amountSats }) => uint64(amountSats));
  const prevoutsHash = once(() => sha256(...outpoints));
  const sequencesHash = once(() => sha256(...sequences));
  const outputs = once(() =>
    transaction.outs.map(({ script, value }) => Buffer.concat([uint64(value), withLength(script)])),
  );
  const outputsHash = once(() => sha256(...outputs()));

  const taprootPrefix = once(() =>
    Buffer.concat([
      TAPROOT_SIGHASH_TAG,
      TAPROOT_SIGHASH_TAG,
      Buffer.of(0, 0), // epoch, SIGHASH_DEFAULT
      version,
      locktime,
      prevoutsHash(),
      sha256(...amounts),
      sha256(...spent.map(({ scriptPubKey }) => withLength(scriptPubKey))),
      sequencesHash(),
      outputsHash(),
      Buffer.of(0), // key path, no annex
    ]),
  );
  const witnessPrefix = once(() => Buffer.concat([version, sha256(prevoutsHash()), sha256(sequencesHash())]));
  const witnessSuffix = once(() => Buffer.concat([sha256(outputsHash()), locktime, uint32(SIGHASH_ALL)]));
  const legacyPrefix = Buffer.concat([version, compactSize(outpoints.length)]);
  const blankInputs = once(() =>
    Buffer.concat(outpoints.flatMap((outpoint, index) => [outpoint, Buffer.of(0), sequences[index]!])),
  );
  const legacySuffix = once(() =>
    Buffer.concat([compactSize(transaction.outs.length), ...outputs(), locktime, uint32(SIGHASH_ALL)]),
  );

  return {
    witnessV0: (input, publicKeyHash) =>
      doubleSha256(
        witnessPrefix(),
        outpoints[input]!,
        Buffer.from('1976a914', 'hex'),
        publicKeyHash,
        Buffer.from('88ac', 'hex'),
        amounts[input]!,
        sequences[input]!,
        witnessSuffix(),
      ),
    taproot: (input) => sha256(taprootPrefix(), uint32(input)),
    legacy: (input, scriptCode) => {
      const at = input * BLANK_INPUT_SIZE + OUTPOINT_SIZE;
      const blank = blankInputs();
      return doubleSha256(
        legacyPrefix,
        blank.subarray(0, at),
        withLength(scriptCode),
        blank.subarray(at + 1), // without the empty script's length
        legacySuffix(),
      );
    },
  };
}

function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

const doubleSha256 = (...parts: readonly Uint8Array[]): Buffer => sha256(sha256(...parts));

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32LE(value | 0);
  return bytes;
}

function uint64(value: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

function compactSize(value: number): Buffer {
  const length = compactSizeLength(value);
  if (length === 1) return Buffer.of(value);
  const bytes = Buffer.allocUnsafe(length);
  bytes[0] = length === 3 ? 0xfd : 0xfe;
  bytes.writeUIntLE(value, 1, length - 1);
  return bytes;
}

const withLength = (script: Uint8Array): Buffer => Buffer.concat([compactSize(script.length), script]);
