/** One descriptor of a wallet, without multipath, opened for derivation: read once, whatever its form. */
import { openDescriptor } from '../descriptors/describe-descriptor.ts';
import { pathText } from '../descriptors/descriptor-key.ts';
import type { DescriptorNode } from '../descriptors/descriptor-node.ts';
import { type DescriptorScript, scriptsAt } from '../descriptors/descriptor-scripts.ts';
import { inputWeight } from '../descriptors/satisfaction-weight.ts';
import { keysOf } from '../descriptors/write-descriptor.ts';
import { DomainError } from '../errors.ts';
import type { Network } from '../network.ts';
import type { DerivedScript } from '../psbt/construction/derived-script.ts';
import { scriptAddress } from '../relay-policy/script-address.ts';
import { outputKind } from '../relay-policy/standard-scripts.ts';
import type { ScriptType } from '../script-type.ts';
import { openAfter, type Timelocks, timelocksOf } from './timelocks.ts';

export interface AddressedScript {
  /** hex */
  readonly scriptPubKey: string;
  readonly address: string;
}

export interface DescriptorBranch {
  readonly node: DescriptorNode;
  readonly scriptType: ScriptType;
  readonly ranged: boolean;
  /**
   * Weight units of one whole input, signatures at their longest, by the dearest of the ways that wait no longer than `timelocks`: who
   * signs is not known before. 0 where the descriptor says nothing of spending (addr()).
   */
  inputWeight(): number;
  /** Throws `signing_unavailable` where every spend waits for a time. */
  timelocks(): Timelocks;
  scriptAt(index: number): AddressedScript;
  /** The same with what signers are told of it. */
  derivedAt(index: number): DerivedScript;
  pathAt(index: number): string | null;
}

/** What wallets cannot have, with the reason; rawtr() of musig() they can, whose signers all know its output key. */
const REFUSED = new Map<DescriptorNode['type'], string>([
  ['combo', 'combo() stands for up to four scripts at once; give the one that is meant: pkh, wpkh, sh(wpkh) or tr'],
  ['raw', 'raw() holds a bare script without keys or address; watch an address with addr()'],
  ['rawtr', 'rawtr() hides whether its output key has a script path; give tr() with the internal key'],
  ...(['pk', 'multi', 'sortedmulti'] as const).map(
    (name) => [name, `bare ${name}() outputs have no address; wrap it: sh(${name}(…)) or wsh(${name}(…))`] as const,
  ),
]);

/** Throws `invalid_descriptor`, `wrong_network` or `unsupported`. */
export function openBranch(text: string, network: Network): DescriptorBranch {
  const node = onlyNode(text, network);
  const keys = keysOf(node);
  const [key] = keys;
  const scriptAt = (index: number): DescriptorScript => scriptsAt(node, index)[0] as DescriptorScript;
  const timelocks = once(() => timelocksOf(node));
  return {
    node,
    scriptType: scriptTypeOf(node),
    ranged: keys.some(({ ranged }) => ranged),
    inputWeight: once(() => weightOf(node, timelocks)),
    timelocks,
    scriptAt(index) {
      const { scriptPubKey } = scriptAt(index);
      // Of what has no address nothing is let in.
      return { scriptPubKey: scriptPubKey.toString('hex'), address: scriptAddress(scriptPubKey, network) as string };
    },
    derivedAt: (index) => ({ ...scriptAt(index), node, index }),
    pathAt: (index) => (key?.origin && keys.length === 1 ? `m${pathText(key.derivationAt(index)?.path ?? [])}` : null),
  };
}

function onlyNode(text: string, network: Network): DescriptorNode {
  const [node, ...more] = openDescriptor(text, network);
  if (node === undefined || more.length > 0)
    throw new DomainError('invalid_descriptor', 'a branch of a wallet has one path: no multipath step');
  const reason = node.type === 'rawtr' && node.key.musig !== null ? undefined : REFUSED.get(node.type);
  if (reason !== undefined) throw new DomainError('unsupported', reason);
  return node;
}

function weightOf(node: DescriptorNode, timelocks: () => Timelocks): number {
  try {
    return inputWeight(node, openAfter(timelocks())) ?? 0;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return inputWeight(node) ?? 0;
  }
}

function scriptTypeOf(node: DescriptorNode): ScriptType {
  switch (node.type) {
    case 'pkh':
      return 'p2pkh';
    case 'wpkh':
      return 'p2wpkh';
    case 'tr':
    case 'rawtr':
      return 'p2tr';
    case 'sh':
      return node.inner.type === 'wpkh' ? 'p2sh-p2wpkh' : 'p2sh';
    case 'addr': {
      const kind = outputKind(node.script);
      return kind === 'p2pkh' || kind === 'p2wpkh' || kind === 'p2tr' || kind === 'p2sh' ? kind : 'p2wsh';
    }
    default:
      return 'p2wsh';
  }
}

function once<T>(compute: () => T): () => T {
  let known: { readonly value: T } | null = null;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}
