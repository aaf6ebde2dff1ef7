import type { HashFragment, Miniscript } from './miniscript.ts';
import {
  both,
  EMPTY,
  either,
  item,
  malleable,
  ONE,
  type Satisfaction,
  signatureItem,
  stackOf,
  type Way,
  WRONG_PREIMAGE,
  ZERO,
} from './satisfaction.ts';

/** What is at hand for satisfying a script. */
export interface SatisfyingFacts {
  /** A valid signature of a key that the script names, or null. */
  signature(key: Uint8Array): Uint8Array | null;
  /** The key of a hash that the script names, or null where nobody said it. */
  keyOf(keyHash: Uint8Array): Uint8Array | null;
  /** 32 bytes, or null. */
  preimage(fragment: HashFragment, hash: Uint8Array): Uint8Array | null;
  /** Whether the input's sequence fulfils a relative lock (BIP68, BIP112). */
  older(value: number): boolean;
  /** Whether the transaction's locktime fulfils an absolute lock (BIP65). */
  after(value: number): boolean;
}

/**
 * The cheapest stack that satisfies a miniscript and that nobody without our keys can change, from its bottom to its top; null where
 * there is none. Bitcoin Core's algorithm (script/miniscript.h, ProduceInput): every expression is looked at once, so that it takes no
 * longer the more ways there are, unlike @bitcoinerlab/miniscript's, which lists them all.
 */
export function satisfyMiniscript(node: Miniscript, facts: SatisfyingFacts): Uint8Array[] | null {
  const { satisfied } = ways(node, facts);
  return satisfied === null || satisfied.malleable || !satisfied.hasSignature ? null : stackOf(satisfied);
}

interface Ways {
  readonly satisfied: Way;
  /** Makes it fail without aborting the script. */
  readonly failed: Way;
}

function ways(node: Miniscript, facts: SatisfyingFacts): Ways {
  switch (node.type) {
    case '0':
      return { satisfied: null, failed: EMPTY };
    case '1':
      return { satisfied: EMPTY, failed: null };
    case 'pk_k':
      return { satisfied: signed(facts, node.key), failed: ZERO };
    case 'pk_h': {
      const key = facts.keyOf(node.keyHash);
      if (key === null) return { satisfied: null, failed: null };
      return { satisfied: both(signed(facts, key), item(key)), failed: both(ZERO, item(key)) };
    }
    case 'older':
      return { satisfied: facts.older(node.value) ? EMPTY : null, failed: null };
    case 'after':
      return { satisfied: facts.after(node.value) ? EMPTY : null, failed: null };
    case 'sha256':
    case 'hash256':
    case 'ripemd160':
    case 'hash160': {
      const preimage = facts.preimage(node.type, node.hash);
      return { satisfied: preimage && item(preimage), failed: WRONG_PREIMAGE };
    }
    case 'multi':
      return multi(node.keys, node.required, facts);
    case 'multi_a':
      return multiA(node.keys, node.required, facts);
    case 'thresh':
      return thresh(
        node.of.map((sub) => ways(sub, facts)),
        node.required,
      );
    case 'a':
    case 's':
    case 'c':
    case 'n':
      return ways(node.of[0], facts);
    case 'v':
      return { satisfied: ways(node.of[0], facts).satisfied, failed: null };
    case 'd':
      return { satisfied: both(ways(node.of[0], facts).satisfied, ONE), failed: ZERO };
    case 'j': {
      const inner = ways(node.of[0], facts);
      // Where the inner expression can fail without a signature, anybody may make it fail that way instead.
      const open = inner.failed !== null && !inner.failed.hasSignature;
      return { satisfied: inner.satisfied, failed: open ? malleable(ZERO) : ZERO };
    }
    default:
      return combined(
        node.type,
        node.of.map((sub) => ways(sub, facts)),
      );
  }
}

const NOT_THERE: Ways = { satisfied: null, failed: null };

function combined(type: 'and_v' | 'and_b' | 'or_b' | 'or_c' | 'or_d' | 'or_i' | 'andor', of: readonly Ways[]): Ways {
  const [x = NOT_THERE, y = NOT_THERE, z = NOT_THERE] = of;
  switch (type) {
    case 'and_v':
      return { satisfied: both(y.satisfied, x.satisfied), failed: both(y.failed, x.satisfied) };
    case 'and_b':
      return {
        satisfied: both(y.satisfied, x.satisfied),
        failed: either(
          both(y.failed, x.failed),
          either(malleable(both(y.satisfied, x.failed)), malleable(both(y.failed, x.satisfied))),
        ),
      };
    case 'or_b':
      return {
        satisfied: either(
          either(both(y.failed, x.satisfied), both(y.satisfied, x.failed)),
          malleable(both(y.satisfied, x.satisfied)),
        ),
        failed: both(y.failed, x.failed),
      };
    case 'or_c':
      return { satisfied: either(x.satisfied, both(y.satisfied, x.failed)), failed: null };
    case 'or_d':
      return { satisfied: either(x.satisfied, both(y.satisfied, x.failed)), failed: both(y.failed, x.failed) };
    case 'or_i':
      return {
        satisfied: either(both(x.satisfied, ONE), both(y.satisfied, ZERO)),
        failed: either(both(x.failed, ONE), both(y.failed, ZERO)),
      };
    case 'andor':
      return {
        satisfied: either(both(y.satisfied, x.satisfied), both(z.satisfied, x.failed)),
        failed: either(both(y.failed, x.satisfied), both(z.failed, x.failed)),
      };
  }
}

/** By how many of the first expressions are satisfied, the best way. */
function thresh(of: readonly Ways[], required: number): Ways {
  let best: Way[] = [EMPTY];
  for (const { satisfied, failed } of [...of].reverse()) {
    const next: Way[] = [both(best[0] as Way, failed)];
    for (let count = 1; count < best.length; count++)
      next.push(either(both(best[count] as Way, failed), both(best[count - 1] as Way, satisfied)));
    next.push(both(best[best.length - 1] as Way, satisfied));
    best = next;
  }
  let failed: Way = null;
  for (const [count, way] of best.entries())
    if (count !== required) failed = either(failed, count === 0 ? way : malleable(way));
  return { satisfied: best[required] ?? null, failed };
}

const signed = (facts: SatisfyingFacts, key: Uint8Array): Way => {
  const signature = facts.signature(key);
  return signature && signatureItem(signature);
};

/** CHECKMULTISIG takes one item more than it should; signatures stand in the order of their keys. */
function multi(keys: readonly Uint8Array[], required: number, facts: SatisfyingFacts): Ways {
  const chosen = cheapest(
    keys.map((key) => signed(facts, key)),
    required,
  );
  let failed: Way = ZERO;
  for (let key = 0; key < required; key++) failed = both(failed, ZERO);
  const inOrder = chosen?.filter((way) => way !== null);
  return { satisfied: inOrder ? inOrder.reduce<Way>(both, ZERO) : null, failed };
}

/** Every key has its item, empty where it does not sign; that of the last key lies deepest. */
function multiA(keys: readonly Uint8Array[], required: number, facts: SatisfyingFacts): Ways {
  const chosen = cheapest(
    keys.map((key) => signed(facts, key)),
    required,
  );
  const deepestFirst = [...keys.keys()].reverse();
  return {
    satisfied:
      chosen === null ? null : deepestFirst.reduce<Way>((stack, key) => both(stack, chosen[key] ?? ZERO), EMPTY),
    failed: keys.reduce<Way>((stack) => both(stack, ZERO), EMPTY),
  };
}

/** As many as are required of the signatures that are there, the smallest; the others null. null where there are too few. */
function cheapest(signatures: readonly Way[], required: number): Way[] | null {
  const there = signatures
    .map((way, key) => ({ way, key }))
    .filter((one): one is { way: Satisfaction; key: number } => one.way !== null)
    .sort((a, b) => a.way.size - b.way.size || a.key - b.key);
  if (there.length < required) return null;
  const chosen: Way[] = signatures.map(() => null);
  for (const { way, key } of there.slice(0, required)) chosen[key] = way;
  return chosen;
}
