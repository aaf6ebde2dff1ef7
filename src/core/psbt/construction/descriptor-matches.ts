/** Which scripts of a PSBT a descriptor derives. */
import { openDescriptor } from '../../descriptors/describe-descriptor.ts';
import type { DescriptorNode } from '../../descriptors/descriptor-node.ts';
import { scriptsAt } from '../../descriptors/descriptor-scripts.ts';
import { keysOf } from '../../descriptors/write-descriptor.ts';
import { DomainError } from '../../errors.ts';
import type { Network } from '../../network.ts';
import type { DerivedScript } from './derived-script.ts';

export interface UpdaterDescriptors {
  readonly network: Network;
  /** Public ones, ranged or not, with multipath steps or not, with checksum or not. */
  readonly descriptors: readonly string[];
  /** First and last index that is tried of the ranged ones; where left out 0 to 99, or to less where there are very many keys. */
  readonly range?: readonly [number, number] | undefined;
}

const DEFAULT_LAST = 99;
/** Keys that one request may have derived or aggregated: some tenths of a second. */
const MAX_DERIVATIONS = 10_000;
const HARDENED = 0x80000000;

/**
 * Of the scripts (hex) those that the descriptors derive within the range. Throws `invalid_descriptor`, `wrong_network` and
 * `unsupported` at `descriptors[i]`, `invalid_value` and `too_large` at `range`.
 */
export function matchDescriptors(scripts: ReadonlySet<string>, given: UpdaterDescriptors): Map<string, DerivedScript> {
  const nodes = given.descriptors.flatMap((text, index) => nodesOf(text, given.network, `descriptors[${index}]`));
  const work = nodes.reduce((sum, node) => sum + keysOf(node).reduce((all, key) => all + key.work, 0), 0);
  const affordable = Math.floor(MAX_DERIVATIONS / Math.max(work, 1));
  const [first, last] = given.range ?? [0, Math.min(DEFAULT_LAST, affordable - 1)];
  if (!(Number.isInteger(first) && Number.isInteger(last) && 0 <= first && first <= last && last < HARDENED))
    throw atRange('invalid_value', 'a range is two indices from 0 to 2147483647, the first not above the last');
  if (last - first >= affordable)
    throw atRange('too_large', `at most ${MAX_DERIVATIONS} keys are derived at a time: give a narrower range`);
  const found = new Map<string, DerivedScript>();
  for (const node of nodes) {
    const ranged = keysOf(node).some((key) => key.ranged);
    for (let index = ranged ? first : 0; index <= (ranged ? last : 0); index++) {
      if (found.size === scripts.size) return found;
      for (const script of scriptsAt(node, index)) {
        const key = script.scriptPubKey.toString('hex');
        if (scripts.has(key) && !found.has(key)) found.set(key, { ...script, node, index });
      }
    }
  }
  return found;
}

const atRange = (code: 'invalid_value' | 'too_large', message: string): DomainError =>
  new DomainError(code, message, { field: 'range' });

function nodesOf(text: string, network: Network, field: string): DescriptorNode[] {
  try {
    return openDescriptor(text, network);
  } catch (error) {
    throw error instanceof DomainError ? error.at(field) : error;
  }
}
