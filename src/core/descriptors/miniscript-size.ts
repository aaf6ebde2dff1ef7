import type { MiniscriptNode } from './descriptor-node.ts';

/** Most witness bytes to satisfy and to dissatisfy a node, each item with its length; null where that cannot be done. */
export interface WitnessSizes {
  readonly satisfy: number | null;
  readonly dissatisfy: number | null;
}

/** Bytes of a signature and of a key as witness items, length included (Core's estimates: DER of 72 bytes, Schnorr with a type). */
const SIZES = {
  wsh: { signature: 1 + 72, key: 1 + 33 },
  tapscript: { signature: 1 + 65, key: 1 + 32 },
} as const;

const sum = (...parts: (number | null)[]): number | null =>
  parts.includes(null) ? null : (parts as number[]).reduce((total, part) => total + part, 0);
const most = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.max(a, b));

export interface Timelock {
  readonly type: 'older' | 'after';
  /** As BIP68 and BIP65 write it. */
  readonly value: number;
}

/** Whether a spend fulfils a time lock. */
export type LockTest = (lock: Timelock) => boolean;

/** Bitcoin Core's CalcWitnessSize (script/miniscript.h), without the ways whose locks are shut: Core counts all as open. */
export function witnessSizes(node: MiniscriptNode, tapscript: boolean, isOpen: LockTest = () => true): WitnessSizes {
  const { signature, key } = SIZES[tapscript ? 'tapscript' : 'wsh'];
  const of = (sub: MiniscriptNode): WitnessSizes => witnessSizes(sub, tapscript, isOpen);
  switch (node.type) {
    case '0':
      return { satisfy: null, dissatisfy: 0 };
    case '1':
      return { satisfy: 0, dissatisfy: null };
    case 'older':
    case 'after':
      return { satisfy: isOpen(node) ? 0 : null, dissatisfy: null };
    case 'pk_k':
      return { satisfy: signature, dissatisfy: 1 };
    case 'pk_h':
      return { satisfy: signature + key, dissatisfy: 1 + key };
    case 'sha256':
    case 'hash256':
    case 'ripemd160':
    case 'hash160':
      return { satisfy: 1 + 32, dissatisfy: null };
    case 'multi':
      return { satisfy: node.required * signature + 1, dissatisfy: node.required + 1 };
    case 'multi_a':
      return {
        satisfy: node.required * signature + node.keys.length - node.required,
        dissatisfy: node.keys.length,
      };
    case 'thresh':
      return thresholdSizes(node.required, node.subs.map(of));
    case 'andor': {
      const [x, y, z] = [of(node.subs[0]), of(node.subs[1]), of(node.subs[2])];
      return {
        satisfy: most(sum(x.satisfy, y.satisfy), sum(x.dissatisfy, z.satisfy)),
        dissatisfy: sum(x.dissatisfy, z.dissatisfy),
      };
    }
    case 'and_v':
    case 'and_b':
    case 'or_b':
    case 'or_c':
    case 'or_d':
    case 'or_i':
      return binarySizes(node.type, of(node.subs[0]), of(node.subs[1]));
    case 'd':
      return { satisfy: sum(of(node.sub).satisfy, 2), dissatisfy: 1 };
    case 'j':
      return { satisfy: of(node.sub).satisfy, dissatisfy: 1 };
    case 'v':
      return { satisfy: of(node.sub).satisfy, dissatisfy: null };
    default:
      return of(node.sub);
  }
}

function binarySizes(type: string, x: WitnessSizes, y: WitnessSizes): WitnessSizes {
  const both = sum(x.dissatisfy, y.dissatisfy);
  if (type === 'and_v') return { satisfy: sum(x.satisfy, y.satisfy), dissatisfy: null };
  if (type === 'and_b') return { satisfy: sum(x.satisfy, y.satisfy), dissatisfy: both };
  if (type === 'or_b') {
    return { satisfy: most(sum(x.dissatisfy, y.satisfy), sum(x.satisfy, y.dissatisfy)), dissatisfy: both };
  }
  if (type === 'or_i') {
    return {
      satisfy: most(sum(x.satisfy, 2), sum(y.satisfy, 1)),
      dissatisfy: most(sum(x.dissatisfy, 2), sum(y.dissatisfy, 1)),
    };
  }
  const satisfy = most(x.satisfy, sum(x.dissatisfy, y.satisfy));
  return { satisfy, dissatisfy: type === 'or_d' ? both : null };
}

/** The costliest choice of `required` subs that are satisfied. */
function thresholdSizes(required: number, subs: readonly WitnessSizes[]): WitnessSizes {
  let best: (number | null)[] = [0];
  for (const { satisfy, dissatisfy } of subs) {
    const next: (number | null)[] = [];
    for (let count = 0; count <= Math.min(best.length, required); count++) {
      next.push(most(sum(best[count] ?? null, dissatisfy), sum(best[count - 1] ?? null, satisfy)));
    }
    best = next;
  }
  const none = subs.reduce<number | null>((total, sub) => sum(total, sub.dissatisfy), 0);
  return { satisfy: best[required] ?? null, dissatisfy: none };
}
