import { analyzeMiniscript as analyze } from '@bitcoinerlab/miniscript';
import { DomainError } from '../errors.ts';
import { compileMiniscript } from './compile-miniscript.ts';
import type { DescriptorKey } from './descriptor-key.ts';
import type { MiniscriptNode } from './descriptor-node.ts';
import { witnessSizes } from './miniscript-size.ts';
import { writeMiniscript } from './write-miniscript.ts';

/** Largest witness script that is relayed (policy.h). */
const MAX_STANDARD_P2WSH_SCRIPT_SIZE = 3_600;

/** Types, sanity and sizes. Throws `invalid_descriptor` where the types of the fragments do not fit, saying which. */
export function analyzeMiniscript(root: MiniscriptNode, tapscript: boolean) {
  const names = new Map<string, string>();
  const nameOf = (key: DescriptorKey): string => {
    // By what it derives, as Core compares: one key may be written in several ways.
    const point = Buffer.from(key.publicKeyAt(0)).toString('hex');
    const known = names.get(point) ?? `key${names.size}`;
    names.set(point, known);
    return known;
  };
  const result = analyze(writeMiniscript(root, nameOf), { tapscript });
  if (!result.valid) {
    throw new DomainError(
      'invalid_descriptor',
      `the miniscript does not type-check: ${result.error ?? 'it is no B expression'}`,
    );
  }
  const scriptSize = compileMiniscript(root, 0, tapscript).length;
  const witnessSize = witnessSizes(root, tapscript).satisfy;
  const issues = [
    ...(result.needsSignature ? [] : ['it can be satisfied without a signature']),
    ...(result.nonMalleable ? [] : ['its witness can be changed by others (malleable)']),
    ...(result.timelockMix ? ['it mixes time locks of heights and of times, so that a path cannot be spent'] : []),
    ...(result.hasDuplicateKeys ? ['a key is there twice'] : []),
    ...(witnessSize === null ? ['nothing satisfies it'] : []),
    ...(!tapscript && scriptSize > MAX_STANDARD_P2WSH_SCRIPT_SIZE
      ? [`its script of ${scriptSize} bytes is above the ${MAX_STANDARD_P2WSH_SCRIPT_SIZE} that are relayed`]
      : []),
  ];
  if (!result.issane && issues.length === 0) issues.push(result.error ?? 'it is not sane');
  return {
    /** What Bitcoin Core demands before it takes a miniscript for a wallet. */
    sane: issues.length === 0,
    issues,
    needsSignature: result.needsSignature,
    nonMalleable: result.nonMalleable,
    mixesTimelocks: result.timelockMix,
    repeatsKeys: result.hasDuplicateKeys,
    scriptSize,
    /** Bytes of the largest witness that satisfies it, the script itself left out; null where nothing does. */
    witnessSize,
  };
}
