import { hex, sameBytes } from '../../bytes.ts';
import { DomainError } from '../../errors.ts';
import { ecc } from '../../keys/ecc.ts';
import { tapTweakHash } from '../../taproot/leaf-hash.ts';
import type { MusigTweak } from '../../taproot/musig/aggregate-keys.ts';
import {
  aggregateChild,
  aggregateFingerprint,
  aggregateRoot,
  type DerivedAggregate,
} from '../../taproot/musig/derived-aggregate.ts';
import { aggregatePublicKeys } from '../../taproot/musig/key-aggregation.ts';
import { tapBip32Derivations } from '../codec/input-fields.ts';
import type { TapBip32Derivation } from '../codec/key-derivations.ts';
import { INPUT } from '../codec/key-types.ts';
import type { PsbtMap } from '../psbt-map.ts';
import { type LeavesByKey, leavesByKey, leavesOf } from '../signing/leaves-by-key.ts';
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
const MAX_VISITS = 500;
const DERIVATION_STEP = 0.02;
const KEY_SIZE = 33;
const MAX_PATH_LENGTH = 8;

/** What working with the aggregate keys of one PSBT costs, and which of them were added up before: inputs of one wallet share theirs. */
export function createMusigWork() {
  const known = new Map<string, boolean>();
  let left = MAX_VISITS;
  const spend = (participants: number): void => {
    left -= participants;
    if (left < 0)
      throw new DomainError('too_large', 'the PSBT takes more work with MuSig2 keys than one request may', {
        field: 'psbt',
      });
  };
  return {
    /** Throws `too_large`. */
    spend,
    isAggregateOf(aggregate: Uint8Array, participants: readonly Uint8Array[]) {
      const name = [aggregate, ...participants].map(hex).join();
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

export type MusigWork = ReturnType<typeof createMusigWork>;

/** Half of it, some 4 s of a worker: who waits for signatures should not find that they take longer than a request may. */
const MAX_SHARES = MAX_VISITS / 2;

/**
 * Whether so many inputs, each signed once by so many participants, are few enough to be checked and signed for in one go. Each is visited
 * twice, for its nonce and for its partial signature.
 */
export const canBeSignedTogether = (inputs: number, participants: number): boolean =>
  participants + inputs * (2 * participants + 1) <= MAX_SHARES;

/** What the aggregate keys of an input sign: internal key, output key and leaves, by themselves or by what derives from them (BIP328). */
export function musigTargets(input: PsbtMap, spend: TaprootSpend, work: MusigWork): MusigTarget[] {
  const targets: MusigTarget[] = [];
  const aggregates = input.all(INPUT.MUSIG2_PARTICIPANT_PUBKEYS);
  if (aggregates.length === 0) return targets;
  const leaves = leavesByKey(spend);
  const derivations = usefulDerivations(input, spend, leaves);
  for (const { keyData: aggregate, value } of aggregates) {
    const participants = split(value);
    const uses = [aggregateRoot(aggregate), ...derivedFrom(aggregate, derivations, work)].flatMap((key) =>
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
  const together = aggregatePublicKeys(participants);
  return together !== null && sameBytes(together, aggregate);
}

type TweakedAggregate = Pick<DerivedAggregate, 'key' | 'tweaks'>;

/** Derivations of keys that stand in the output, by fingerprint. */
function usefulDerivations(
  input: PsbtMap,
  { internalKey, outputKey }: TaprootSpend,
  leaves: LeavesByKey,
): Map<string, TapBip32Derivation[]> {
  const found = new Map<string, TapBip32Derivation[]>();
  const named = new Set([internalKey, outputKey].map((key) => key && hex(key)));
  for (const derivation of tapBip32Derivations(input, INPUT.TAP_BIP32_DERIVATION)) {
    const { xOnlyKey, fingerprint, path } = derivation;
    const name = hex(xOnlyKey);
    if (
      path.length === 0 ||
      path.length > MAX_PATH_LENGTH ||
      !(named.has(name) || leavesOf(leaves, xOnlyKey).length > 0)
    )
      continue;
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
  for (const { xOnlyKey, path } of derivations.get(aggregateFingerprint(aggregate)) ?? []) {
    work.spend(path.length * DERIVATION_STEP);
    const derived = derive(aggregate, path);
    if (derived !== null && sameBytes(derived.key.subarray(1), xOnlyKey)) found.push(derived);
  }
  return found;
}

function derive(aggregate: Uint8Array, path: readonly number[]): TweakedAggregate | null {
  if (!ecc.isPoint(aggregate)) return null;
  return path.reduce<DerivedAggregate | null>(
    (parent, index) => parent && aggregateChild(parent, index),
    aggregateRoot(aggregate),
  );
}

/** Where an aggregate key stands in the output. */
function usesOf(
  { key, tweaks }: TweakedAggregate,
  { internalKey, outputKey, merkleRoot }: TaprootSpend,
  leaves: LeavesByKey,
): Omit<MusigTarget, 'participants'>[] {
  const xOnlyKey = key.subarray(1);
  const uses: Omit<MusigTarget, 'participants'>[] = [];
  const same = (other: Uint8Array | null): boolean => other !== null && sameBytes(other, xOnlyKey);
  if (same(outputKey)) uses.push({ key, tweaks, leafHash: null });
  else if (same(internalKey)) {
    const tweak = tapTweakHash(xOnlyKey, merkleRoot);
    const output = ecc.xOnlyPointAddTweak(xOnlyKey, tweak);
    if (output !== null) {
      const signed = Buffer.concat([Buffer.of(2 + output.parity), output.xOnlyPubkey]);
      uses.push({ key: signed, tweaks: [...tweaks, { tweak, xOnly: true }], leafHash: null });
    }
  }
  for (const { leafHash } of leavesOf(leaves, xOnlyKey)) uses.push({ key, tweaks, leafHash });
  return uses;
}
