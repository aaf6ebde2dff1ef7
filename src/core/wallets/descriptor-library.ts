/** Descriptors beyond the standard forms, expanded by @bitcoinerlab/descriptors with miniscript. */
import { createBitcoinjsLib, DescriptorsFactory, type TapTreeInfoNode } from '@bitcoinerlab/descriptors';
import { address } from 'bitcoinjs-lib';
import { DomainError } from '../errors.ts';
import { ecc } from '../keys/ecc.ts';
import { type Network, networkParameters } from '../network.ts';
import { compactSizeLength } from '../policy/dust.ts';
import type { ScriptType } from '../script-type.ts';
import { multisigOf } from '../scripts/script-elements.ts';
import type { DescriptorBranch } from './descriptor-branch.ts';
import { withoutChecksum } from './descriptor-checksum.ts';
import type { AddressedScript } from './script-forms.ts';
import { tapLeafWeight } from './tap-leaf-weight.ts';

const library = DescriptorsFactory(createBitcoinjsLib(ecc));

/** BIP341's point without known private key, x-only: taproot outputs with it are spent by their scripts. */
export const NOBODYS_KEY = '50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0';

type Output = InstanceType<typeof library.Output>;

/** A public descriptor without multipath, checksum or not, taken apart at an index, which does not matter to one without wildcard. */
export function expandDescriptor(descriptor: string, index: number, network: Network) {
  const text = withoutChecksum(descriptor);
  return library.expand({
    descriptor: text,
    network: networkParameters(network),
    ...(text.includes('*') ? { index } : {}),
  });
}

export type TapLeaf = Exclude<TapTreeInfoNode, { left: unknown }>;

/** From left to right, with the number of branches above each. */
export const tapLeavesOf = (node: TapTreeInfoNode, depth = 0): (TapLeaf & { readonly depth: number })[] =>
  'left' in node ? [...tapLeavesOf(node.left, depth + 1), ...tapLeavesOf(node.right, depth + 1)] : [{ ...node, depth }];

/** `descriptor` is without checksum and multipath. Throws `invalid_descriptor`. */
export function libraryBranch(descriptor: string, network: Network): DescriptorBranch {
  const ranged = descriptor.includes('*');
  const outputAt = (index: number): Output => {
    try {
      return new library.Output({
        descriptor,
        network: networkParameters(network),
        ...(ranged ? { index } : {}),
      });
    } catch (error) {
      throw new DomainError('invalid_descriptor', `the descriptor is not valid${reasonWithoutEcho(error, descriptor)}`);
    }
  };
  const first = outputAt(0);
  return {
    scriptType: scriptTypeOf(descriptor, first),
    ranged,
    inputWeight: inputWeight(descriptor, first),
    scriptAt: (index) => addressed(outputAt(ranged ? index : 0), network),
    pathAt: () => null,
  };
}

function addressed(output: Output, network: Network): AddressedScript {
  const script = output.getScriptPubKey();
  return {
    scriptPubKey: Buffer.from(script).toString('hex'),
    address: address.fromOutputScript(script, networkParameters(network)),
  };
}

function scriptTypeOf(descriptor: string, output: Output): ScriptType {
  const { isPKH, isWPKH, isTR } = output.guessOutput();
  if (isTR) return 'p2tr';
  if (isWPKH) return 'p2wpkh';
  if (isPKH) return 'p2pkh';
  if (descriptor.startsWith('sh(wpkh(')) return 'p2sh-p2wpkh';
  return descriptor.startsWith('sh(') ? 'p2sh' : 'p2wsh';
}

/**
 * With signatures at their longest. Exact for multisig, for miniscript that signatures alone satisfy (the cheapest way), and for taproot's
 * key path; a bound from above where hash locks are in the way. Taproot that only scripts spend: by the dearest leaf, for which
 * one is signed is not known before.
 */
function inputWeight(descriptor: string, output: Output): number {
  const multisig = multisigWeight(output);
  if (multisig !== null) return multisig;
  const { tapTreeInfo } = output.expand();
  if (tapTreeInfo && descriptor.startsWith(`tr(${NOBODYS_KEY},`))
    return Math.max(...tapLeavesOf(tapTreeInfo).map(tapLeafWeight));
  try {
    return output.inputWeight(true, 'DANGEROUSLY_USE_FAKE_SIGNATURES');
  } catch {
    const witnessScript = output.getWitnessScript();
    const script = witnessScript ?? output.getRedeemScript() ?? new Uint8Array(0);
    const elements = descriptor.split(/[(),{}]/).filter((part) => part.length > 30).length;
    const unlocking = 3 + script.length + elements * (73 + 34);
    return 4 * (41 + 35) + (witnessScript ? unlocking : 4 * unlocking);
  }
}

const OUTPOINT_AND_SEQUENCE = 36 + 4;
/** A push of the program of a witness script. */
const NESTED_SCRIPT_SIG = 35;

/** Of m-of-n in whatever wrapping: the empty item that CHECKMULTISIG takes, the signatures, the script. null for other scripts. */
function multisigWeight(output: Output): number | null {
  const witnessScript = output.getWitnessScript();
  const redeemScript = output.getRedeemScript();
  const script = witnessScript ?? redeemScript;
  const multisig = script ? multisigOf(script) : null;
  if (!script || !multisig) return null;
  const signatures = 1 + multisig.required * (1 + 72);
  if (!witnessScript) {
    const pushed = script.length > 255 ? 3 : script.length > 75 ? 2 : 1;
    const scriptSig = signatures + pushed + script.length;
    return 4 * (OUTPOINT_AND_SEQUENCE + compactSizeLength(scriptSig) + scriptSig);
  }
  const scriptSig = redeemScript ? NESTED_SCRIPT_SIG : 0;
  return (
    4 * (OUTPOINT_AND_SEQUENCE + 1 + scriptSig) + 1 + signatures + compactSizeLength(script.length) + script.length
  );
}

/** The library's reason, unless it repeats a piece of what the caller sent. */
function reasonWithoutEcho(error: unknown, descriptor: string): string {
  const reason = (error instanceof Error ? error.message : '').replace(/^Error: /, '');
  for (let at = 0; at + 12 <= reason.length; at++) if (descriptor.includes(reason.slice(at, at + 12))) return '';
  return reason ? `: ${reason}` : '';
}
