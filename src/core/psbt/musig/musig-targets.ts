import { createHmac } from 'node:crypto';
import { keyAggregate } from '@scure/btc-signer/musig2.js';
import { hash160 } from '../../blocks/hash160.ts';
import { DomainError } from '../../errors.ts';
import { ecc } from '../../keys/ecc.ts';
import { hexOf } from '../../scripts/script-keys.ts';
import { tapTweakHash } from '../../taproot/leaf-hash.ts';
import type { MusigTweak } from '../../taproot/musig/aggregate-keys.ts';
import { tapBip32Derivations } from '../codec/input-fields.ts';
import type { TapBip32Derivation } from '../codec/key-derivations.ts';
import { INPUT } from '../codec/key-types.ts';
import type { PsbtMap } from '../psbt-map.ts';
import { type LeavesByKey, leavesByKey } from '../signing/leaves-by-key.ts';
import type { TaprootSpend } from '../signing/taproot-spend.ts';

/** One signature that the participants of an aggregate key make together (BIP373). */
export interface MusigTarget {
  /** Compressed, in the order of aggregation. */
  readonly participants: readonly Uint8Array[];
  readonly tweaks: readonly MusigTweak[];
  /** What is signed under, compressed: the output key, or a key of a leaf. MuSig2's fields name it. */
  readonly key: Uint8Array;
  /** null: the key path. */
  readonly leafHash: Uint8Array | null;
}

/** Every visit of a participant's key takes some milliseconds: so many for all inputs of a PSBT together. */
const MOST_VISITS = 500;
const DERIVATION_STEP = 0.02;
const KEY_SIZE = 33;
/** BIP328: the chain code of every aggregate key. */
const CHAIN_CODE = Buffer.from('868087ca02a6f974c4598924c36b57762d32cb45717167e300622c7167e38965', 'hex');
const HARDENED = 0x80000000;
const LONGEST_PATH = 8;

/** What working with the aggregate keys of one PSBT costs, and which of them were added up before: inputs of one wallet share theirs. */
export interface MusigWork {
  /** Throws `too_large`. */
  spend(participants: number): void;
  isAggregateOf(aggregate: Uint8Array, participants: readonly Uint8Array[]): boolean;
}

export function createMusigWork(): MusigWork {
  const known = new Map<string, boolean>();
  let left = MOST_VISITS;
  const spend = (participants: number): void => {
    left -= participants;
    if (left < 0)
      throw new DomainError('too_large', 'the PSBT takes more work with MuSig2 keys than one request may', {
        field: 'psbt',
      });
  };
  return {
    spend,
    isAggregateOf(aggregate, participants) {
      const name = [aggregate, ...participants].map(hexOf).join();
      let is = known.get(name);
      if (is === undefined) {
        spend(participants.length);
        is = isAggregateOf(aggregate, participants);
        known.set(name, is);
      }
      return is;
    },
  };
}

/** What the aggregate keys of an input sign: internal key, output key and leaves, by themselves or by what derives from them (BIP328). */
export function musigTargets(input: PsbtMap, spend: TaprootSpend, work: MusigWork): MusigTarget[] {
  const targets: MusigTarget[] = [];
  const aggregates = input.all(INPUT.MUSIG2_PARTICIPANT_PUBKEYS);
  if (aggregates.length === 0) return targets;
  const leaves = leavesByKey(spend);
  const derivations = usefulDerivations(input, spend, leaves);
  for (const { keyData: aggregate, value } of aggregates) {
    const participants = split(value);
    const uses = [aggregateItself(aggregate), ...derivedFrom(aggregate, derivations, work)].flatMap((key) =>
      usesOf(key, spend, leaves),
    );
    if (uses.length === 0) continue;
    if (work.isAggregateOf(aggregate, participants)) targets.push(...uses.map((use) => ({ participants, ...use })));
  }
  return targets;
}

const split = (value: Uint8Array): Uint8Array[] =>
  Array.from({ length: value.length / KEY_SIZE }, (_, at) => value.subarray(at * KEY_SIZE, (at + 1) * KEY_SIZE));

function isAggregateOf(aggregate: Uint8Array, participants: readonly Uint8Array[]): boolean {
  if (participants.length === 0 || !participants.every((key) => ecc.isPoint(key))) return false;
  try {
    return Buffer.compare(keyAggregate([...participants]).aggPublicKey.toBytes(true), aggregate) === 0;
  } catch {
    return false; // they add up to infinity
  }
}

interface TweakedAggregate {
  readonly key: Uint8Array;
  readonly tweaks: readonly MusigTweak[];
}

const aggregateItself = (key: Uint8Array): TweakedAggregate => ({ key, tweaks: [] });

/** Derivations of keys that stand in the output, by fingerprint. */
function usefulDerivations(
  input: PsbtMap,
  { internalKey, outputKey }: TaprootSpend,
  leaves: LeavesByKey,
): Map<string, TapBip32Derivation[]> {
  const found = new Map<string, TapBip32Derivation[]>();
  const named = new Set([internalKey, outputKey].map((key) => key && hexOf(key)));
  for (const derivation of tapBip32Derivations(input, INPUT.TAP_BIP32_DERIVATION)) {
    const { xOnlyKey, fingerprint, path } = derivation;
    const name = hexOf(xOnlyKey);
    if (path.length === 0 || path.length > LONGEST_PATH || !(named.has(name) || leaves.has(name))) continue;
    const others = found.get(fingerprint);
    if (others) others.push(derivation);
    else found.set(fingerprint, [derivation]);
  }
  return found;
}

/** Keys that derive from an aggregate key, by their fingerprint. */
function derivedFrom(
  aggregate: Uint8Array,
  derivations: ReadonlyMap<string, readonly TapBip32Derivation[]>,
  work: MusigWork,
): TweakedAggregate[] {
  const found: TweakedAggregate[] = [];
  for (const { xOnlyKey, path } of derivations.get(hash160(aggregate).toString('hex', 0, 4)) ?? []) {
    work.spend(path.length * DERIVATION_STEP);
    const derived = derive(aggregate, path);
    if (derived !== null && Buffer.compare(derived.key.subarray(1), xOnlyKey) === 0) found.push(derived);
  }
  return found;
}

/** BIP32's public derivation, each step a plain tweak. */
function derive(aggregate: Uint8Array, path: readonly number[]): TweakedAggregate | null {
  let [key, chainCode] = [aggregate, CHAIN_CODE as Uint8Array];
  const tweaks: MusigTweak[] = [];
  for (const index of path) {
    if (index >= HARDENED || !ecc.isPoint(key)) return null;
    const data = Buffer.alloc(KEY_SIZE + 4);
    data.set(key);
    data.writeUInt32BE(index, KEY_SIZE);
    const digest = createHmac('sha512', chainCode).update(data).digest();
    const tweak = digest.subarray(0, 32);
    const child = ecc.isPrivate(tweak) ? ecc.pointAddScalar(key, tweak, true) : null;
    if (child === null) return null;
    tweaks.push({ tweak, xOnly: false });
    [key, chainCode] = [child, digest.subarray(32)];
  }
  return { key, tweaks };
}

/** Where an aggregate key stands in the output. */
function usesOf(
  { key, tweaks }: TweakedAggregate,
  { internalKey, outputKey, merkleRoot }: TaprootSpend,
  leaves: LeavesByKey,
): Omit<MusigTarget, 'participants'>[] {
  const xOnlyKey = key.subarray(1);
  const uses: Omit<MusigTarget, 'participants'>[] = [];
  const same = (other: Uint8Array | null): boolean => other !== null && Buffer.compare(other, xOnlyKey) === 0;
  if (same(outputKey)) uses.push({ key, tweaks, leafHash: null });
  else if (same(internalKey)) {
    const tweak = tapTweakHash(xOnlyKey, merkleRoot);
    const output = ecc.xOnlyPointAddTweak(xOnlyKey, tweak);
    if (output !== null) {
      const signed = Buffer.concat([Buffer.of(2 + output.parity), output.xOnlyPubkey]);
      uses.push({ key: signed, tweaks: [...tweaks, { tweak, xOnly: true }], leafHash: null });
    }
  }
  for (const { leafHash } of leaves.get(hexOf(xOnlyKey)) ?? []) uses.push({ key, tweaks, leafHash });
  return uses;
}
