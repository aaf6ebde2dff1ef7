/** Descriptors beyond the standard forms, expanded by @bitcoinerlab/descriptors with miniscript. */
import { createBitcoinjsLib, DescriptorsFactory } from '@bitcoinerlab/descriptors';
import { address } from 'bitcoinjs-lib';
import { DomainError } from '../errors.ts';
import { ecc } from '../keys/ecc.ts';
import { type Network, networkParameters } from '../network.ts';
import type { ScriptType } from '../script-type.ts';
import type { DescriptorBranch } from './descriptor-branch.ts';
import type { AddressedScript } from './script-forms.ts';

const library = DescriptorsFactory(createBitcoinjsLib(ecc));

type Output = InstanceType<typeof library.Output>;

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
  return descriptor.startsWith('sh(wpkh(') ? 'p2sh-p2wpkh' : 'p2wsh';
}

/** Exact where the library can satisfy the script with signatures alone; otherwise (hash locks, addr) a bound from above. */
function inputWeight(descriptor: string, output: Output): number {
  try {
    return output.inputWeight(true, 'DANGEROUSLY_USE_FAKE_SIGNATURES');
  } catch {
    const script = output.getWitnessScript() ?? output.getRedeemScript() ?? new Uint8Array(0);
    const elements = descriptor.split(/[(),{}]/).filter((part) => part.length > 30).length;
    return 4 * (41 + 35) + 3 + script.length + elements * (73 + 34);
  }
}

/** The library's reason, unless it repeats a piece of what the caller sent. */
function reasonWithoutEcho(error: unknown, descriptor: string): string {
  const reason = (error instanceof Error ? error.message : '').replace(/^Error: /, '');
  for (let at = 0; at + 12 <= reason.length; at++) if (descriptor.includes(reason.slice(at, at + 12))) return '';
  return reason ? `: ${reason}` : '';
}
