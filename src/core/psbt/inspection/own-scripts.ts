import { DomainError } from '../../errors.ts';
import type { Network } from '../../network.ts';
import { type DescriptorBranch, openBranch } from '../../wallets/descriptor-branch.ts';
import { parseDescriptor } from '../../wallets/descriptors.ts';

/** Which of the given descriptors derives a script: what proves that it is the wallet's own. */
export interface DerivedBy {
  /** Place among the descriptors that were given. */
  readonly descriptor: number;
  readonly branch: 'external' | 'internal';
  /** null where the descriptor is not ranged. */
  readonly index: number | null;
}

/** A script without a claim is looked for among so many of each branch. */
const SEARCHED = 100;
/** Derivations of one request. */
const BUDGET = 4_000;
const HARDENED = 0x80000000;

interface Opened {
  readonly at: Omit<DerivedBy, 'index'>;
  readonly branch: DescriptorBranch;
  /** Script (hex) by index, as far as they were derived. */
  readonly derived: Map<number, string>;
}

/** Throws `invalid_descriptor`, `wrong_network` or `unsupported`, at `descriptors[i]`. */
export function createOwnScripts(descriptors: readonly string[], network: Network) {
  const opened = descriptors.flatMap((text, descriptor) => openBoth(text, descriptor, network));
  let left = BUDGET;
  let searched: Map<string, DerivedBy> | null = null;

  const scriptAt = ({ branch, derived }: Opened, index: number): string | null => {
    const known = derived.get(index);
    if (known !== undefined) return known;
    if (left <= 0) return null;
    left--;
    const { scriptPubKey } = branch.scriptAt(index);
    derived.set(index, scriptPubKey);
    return scriptPubKey;
  };

  /** The first ones of every branch, by script. */
  const firstOnes = (): Map<string, DerivedBy> => {
    const found = new Map<string, DerivedBy>();
    for (const one of opened) {
      const { ranged } = one.branch;
      for (let index = 0; index < (ranged ? SEARCHED : 1); index++) {
        const script = scriptAt(one, index);
        if (script !== null && !found.has(script)) found.set(script, { ...one.at, index: ranged ? index : null });
      }
    }
    return found;
  };

  return {
    /** Scripts were left unproved because too many would have had to be derived. */
    get exhausted() {
      return left <= 0;
    },
    /** `claimed`: last steps of the derivation paths that the PSBT gives for this script. */
    find(script: Uint8Array, claimed: readonly number[]) {
      if (opened.length === 0) return null;
      const hex = Buffer.from(script).toString('hex');
      for (const index of new Set(claimed)) {
        for (const one of opened) {
          if (one.branch.ranged && index < HARDENED && scriptAt(one, index) === hex) return { ...one.at, index };
        }
      }
      searched ??= firstOnes();
      return searched.get(hex) ?? null;
    },
  };
}

export type OwnScripts = ReturnType<typeof createOwnScripts>;

function openBoth(text: string, descriptor: number, network: Network): Opened[] {
  const { external, internal } = at(descriptor, () => parseDescriptor(text, network));
  const opened: Opened[] = [
    { at: { descriptor, branch: 'external' }, branch: openBranch(external, network), derived: new Map() },
  ];
  if (internal !== null)
    opened.push({ at: { descriptor, branch: 'internal' }, branch: openBranch(internal, network), derived: new Map() });
  return opened;
}

/** Says which descriptor a refusal is about. */
function at<T>(descriptor: number, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof DomainError ? error.at(`descriptors[${descriptor}]`) : error;
  }
}
