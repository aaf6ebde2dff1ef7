/** Key expressions of every kind: BIP380's, and BIP390's musig(KEY,…)/steps/* over them. */
import { DomainError } from '../errors.ts';
import type { Network } from '../network.ts';
import {
  aggregateChild,
  aggregateFingerprint,
  aggregateRoot,
  type DerivedAggregate,
} from '../taproot/musig/derived-aggregate.ts';
import { aggregatePublicKeys, sortedKeys } from '../taproot/musig/key-aggregation.ts';
import {
  type DescriptorKey,
  type KeyForm,
  MAX_STEPS,
  type MusigParts,
  parseDescriptorKey,
  parsePath,
} from './descriptor-key.ts';
import { argumentsOf } from './expression.ts';

const EXPRESSION = /^musig\(([^()]*)\)((?:\/[^/]*)*)$/;
const X_ONLY = /^(?:\[[^\]]*\])?[0-9a-fA-F]{64}$/;

/** Throws `invalid_descriptor` or `wrong_network`; what was given is never repeated, since it may be a private key. */
export function parseKey(text: string, form: KeyForm, network: Network): DescriptorKey {
  if (!/(?<![a-z])musig\(/.test(text)) return parseDescriptorKey(text, form, network);
  if (form !== 'x-only') throw invalid('musig() stands in tr() and rawtr() only');
  if (text.indexOf('musig(', 1) > 0) throw invalid('musig() cannot stand within musig(), nor behind an origin');
  const match = EXPRESSION.exec(text);
  if (!match) throw invalid('musig() is written musig(key,key,…), with steps behind it or without, as in musig(…)/0/*');
  const [, inside, steps] = match as unknown as [string, string, string];
  if (inside === '') throw invalid('musig() has at least one key');
  return musigKey(
    argumentsOf(inside).map((key) => participant(key, network)),
    steps,
  );
}

function participant(text: string, network: Network): DescriptorKey {
  if (X_ONLY.test(text))
    throw invalid('a key within musig() has 33 bytes: an x-only one does not say which of two points it is');
  return parseDescriptorKey(text, 'compressed', network);
}

function musigKey(participants: readonly DescriptorKey[], stepsText: string): DescriptorKey {
  const extended = participants.every((key) => key.extended);
  const behind = /\/\*$/.test(stepsText);
  const within = participants.some((key) => key.ranged);
  if (stepsText !== '') {
    if (!extended) throw invalid('musig() with steps behind it takes extended keys (xpub, tpub) only');
    if (within) throw invalid('a wildcard stands behind musig() or within it; with steps behind it, not within');
  }
  if (/\/\*['hH]$/.test(stepsText)) throw invalid('musig() has no hardened children: a wildcard is written /*');
  const steps = parsePath(
    behind ? stepsText.slice(0, -2) : stepsText,
    'an aggregate key has no private key, and so no hardened steps: put them into the origins of the keys within musig()',
  );
  if (steps.length > MAX_STEPS) throw invalid(`musig() has at most ${MAX_STEPS} steps behind it here`);
  const at = remembered(within, (index) => aggregateAt(participants, index));
  const parent = remembered(within, (index) => steps.reduce(childOf, aggregateRoot(at(index).aggregate)));
  const key = remembered(within || behind, (index) => (behind ? childOf(parent(index), index) : parent(index)).key);
  return {
    text: `musig(${participants.map(({ text }) => text).join(',')})${steps.map((step) => `/${step}`).join('')}${behind ? '/*' : ''}`,
    origin: null,
    ranged: within || behind,
    steps,
    extended,
    musig: { participants, at },
    work: within ? 2 * participants.length : behind ? 1 : 0,
    publicKeyAt: key,
    derivationAt: (index) => ({
      fingerprint: aggregateFingerprint(at(index).aggregate),
      path: [...steps, ...(behind ? [index] : [])],
    }),
  };
}

function aggregateAt(participants: readonly DescriptorKey[], index: number): ReturnType<MusigParts['at']> {
  const publicKeys = sortedKeys(participants.map((key) => key.publicKeyAt(index)));
  const aggregate = aggregatePublicKeys(publicKeys);
  if (aggregate === null) throw invalid('the keys of musig() add up to no key');
  return { aggregate, publicKeys };
}

function childOf(parent: DerivedAggregate, index: number): DerivedAggregate {
  const child = aggregateChild(parent, index);
  if (child === null) throw new RangeError(`the aggregate key has no child ${index}`);
  return child;
}

/** The answer for the last index, or the only one where none depends on it: several ask for the same one after the other. */
function remembered<T>(varies: boolean, compute: (index: number) => T): (index: number) => T {
  let last: { readonly index: number; readonly value: T } | null = null;
  return (index) => {
    const wanted = varies ? index : 0;
    if (last?.index !== wanted) last = { index: wanted, value: compute(wanted) };
    return last.value;
  };
}

/** The keys that somebody may hold: themselves, and of musig() those within it. */
export const heldKeys = (keys: readonly DescriptorKey[]): DescriptorKey[] =>
  keys.flatMap((key) => key.musig?.participants ?? [key]);

const invalid = (message: string): DomainError => new DomainError('invalid_descriptor', message);
