import { hex } from '../../bytes.ts';
import { hash160 } from '../../hashes.ts';
import type { HashFragment } from '../../scripts/miniscript/miniscript.ts';
import type { SatisfyingFacts } from '../../scripts/miniscript/satisfy-miniscript.ts';
import { once } from '../../scripts/transaction-parts.ts';
import { sequenceOf } from '../codec/input-fields.ts';
import { INPUT } from '../codec/key-types.ts';
import type { PsbtMap } from '../psbt-map.ts';
import type { SigningView } from '../signing/signing-view.ts';

const PREIMAGES: Readonly<Record<HashFragment, number>> = {
  ripemd160: INPUT.RIPEMD160,
  sha256: INPUT.SHA256,
  hash160: INPUT.HASH160,
  hash256: INPUT.HASH256,
};
const PREIMAGE_SIZE = 32;

/** Where an input's keys may stand, for scripts that name their hashes only. */
const ECDSA_KEYS = [INPUT.PARTIAL_SIG, INPUT.BIP32_DERIVATION];
const TAPROOT_KEYS = [INPUT.TAP_SCRIPT_SIG, INPUT.TAP_BIP32_DERIVATION];

export type KnownFacts = Omit<SatisfyingFacts, 'signature'>;

/** What an input's fields and the transaction's locks give for satisfying its scripts, signatures aside. Its fields are gone through once. */
export function knownFacts({ psbt, parts }: SigningView, index: number, taproot: boolean): KnownFacts {
  const input = psbt.inputs[index] as PsbtMap;
  const sequence = sequenceOf(input);
  const keys = once(() => keysByHash(input, taproot));
  const preimages = once(() => preimagesOf(input));
  return {
    keyOf: (keyHash) => keys().get(hex(keyHash)) ?? null,
    preimage: (fragment, hash) => preimages().get(fragment + hex(hash)) ?? null,
    older: (value) => fulfilsOlder(parts.version, sequence, value),
    after: (value) => fulfilsAfter(parts.locktime, sequence, value),
  };
}

function keysByHash(input: PsbtMap, taproot: boolean): Map<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  for (const type of taproot ? TAPROOT_KEYS : ECDSA_KEYS)
    for (const { keyData } of input.all(type)) {
      const key = taproot ? keyData.subarray(0, 32) : keyData;
      found.set(hash160(key).toString('hex'), key);
    }
  return found;
}

function preimagesOf(input: PsbtMap): Map<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  for (const [fragment, type] of Object.entries(PREIMAGES))
    for (const { keyData, value } of input.all(type))
      if (value.length === PREIMAGE_SIZE) found.set(fragment + hex(keyData), value);
  return found;
}

const NO_RELATIVE_LOCK = 0x80000000;
const TIME_LOCK = 0x00400000;
const LOCK_VALUE = 0x0000ffff;

/** OP_CHECKSEQUENCEVERIFY (BIP112) of a number without bit 31. */
function fulfilsOlder(version: number, sequence: number, value: number): boolean {
  if (version < 2 || sequence >= NO_RELATIVE_LOCK) return false;
  return (sequence & TIME_LOCK) === (value & TIME_LOCK) && (sequence & LOCK_VALUE) >= (value & LOCK_VALUE);
}

const FIRST_TIME = 500_000_000;
const FINAL = 0xffffffff;

/** OP_CHECKLOCKTIMEVERIFY (BIP65). */
const fulfilsAfter = (locktime: number, sequence: number, value: number): boolean =>
  sequence !== FINAL && locktime < FIRST_TIME === value < FIRST_TIME && locktime >= value;
