/** One descriptor without multipath, opened for derivation: directly for the standard forms, by the descriptor library for the rest. */
import type { BIP32Interface } from 'bip32';
import type { Network } from '../network.ts';
import type { ScriptType } from '../script-type.ts';
import { withoutChecksum } from './descriptor-checksum.ts';
import { libraryBranch } from './descriptor-library.ts';
import { parseExtendedPublicKey } from './extended-key.ts';
import { type AddressedScript, p2pkh, p2shP2wpkh, p2tr, p2wpkh, p2wsh, sortedMultisigScript } from './script-forms.ts';

export interface DescriptorBranch {
  readonly scriptType: ScriptType;
  readonly ranged: boolean;
  /** Weight units of one whole input, signatures at their longest. */
  readonly inputWeight: number;
  scriptAt(index: number): AddressedScript;
  pathAt(index: number): string | null;
}

interface RangedKey {
  /** "84h/1h/0h" behind the fingerprint; null without origin. */
  readonly originPath: string | null;
  /** Non-hardened steps between the extended key and the index. */
  readonly steps: readonly number[];
  readonly node: BIP32Interface;
}

const RANGED_KEY = /^(?:\[[0-9a-f]{8}((?:\/\d+[h'])*)\])?([xt]pub[1-9A-HJ-NP-Za-km-z]+)((?:\/\d+)*)\/\*$/;

interface SingleKeyForm {
  readonly scriptType: ScriptType;
  readonly weight: number;
  script(publicKey: Uint8Array, network: Network): AddressedScript;
}

const SINGLE_KEY_FORMS: Readonly<Record<string, SingleKeyForm>> = {
  pkh: { scriptType: 'p2pkh', script: p2pkh, weight: 4 * (41 + 107) },
  wpkh: { scriptType: 'p2wpkh', script: p2wpkh, weight: 4 * 41 + 108 },
  'sh(wpkh': { scriptType: 'p2sh-p2wpkh', script: p2shP2wpkh, weight: 4 * (41 + 23) + 108 },
  tr: { scriptType: 'p2tr', script: p2tr, weight: 4 * 41 + 66 },
};

/** Throws `invalid_descriptor` or `wrong_network`. */
export function openBranch(text: string, network: Network): DescriptorBranch {
  const descriptor = withoutChecksum(text);
  return (
    singleKeyBranch(descriptor, network) ?? sortedMultiBranch(descriptor, network) ?? libraryBranch(descriptor, network)
  );
}

function singleKeyBranch(descriptor: string, network: Network): DescriptorBranch | null {
  const match = /^(sh\()?(pkh|wpkh|tr)\(([^(),]+)\)(\))?$/.exec(descriptor);
  if (!match || (match[1] === undefined) !== (match[4] === undefined)) return null;
  const form = SINGLE_KEY_FORMS[`${match[1] ?? ''}${match[2]}`];
  const key = form && rangedKey(match[3]!, network);
  if (!key) return null;
  return {
    scriptType: form.scriptType,
    ranged: true,
    inputWeight: form.weight,
    scriptAt: (index) => form.script(key.node.derive(index).publicKey, network),
    pathAt: (index) => pathOf(key, index),
  };
}

function sortedMultiBranch(descriptor: string, network: Network): DescriptorBranch | null {
  const match = /^wsh\(sortedmulti\((\d{1,2}),([^()]+)\)\)$/.exec(descriptor);
  const keys = match?.[2]?.split(',').map((expression) => rangedKey(expression, network));
  if (!match || !keys?.every((key) => key !== null)) return null;
  const required = Number(match[1]);
  if (required < 1 || required > keys.length || keys.length > 20) return null;
  const scriptBytes = 3 + keys.length * 34 + (keys.length > 16 ? 1 : 0) + (required > 16 ? 1 : 0);
  return {
    scriptType: 'p2wsh',
    ranged: true,
    // Witness: item count, the empty item that CHECKMULTISIG takes, signatures of at most 72 bytes, the script with its length.
    inputWeight: 4 * 41 + 1 + 1 + required * 73 + scriptBytes + (scriptBytes < 253 ? 1 : 3),
    scriptAt: (index) =>
      p2wsh(
        sortedMultisigScript(
          required,
          keys.map((key) => key.node.derive(index).publicKey),
        ),
        network,
      ),
    pathAt: () => null,
  };
}

/** The node right above the index, or null where the expression is anything but an extended key ending in `/*`. */
function rangedKey(expression: string, network: Network): RangedKey | null {
  const match = RANGED_KEY.exec(expression);
  if (!match) return null;
  const steps = (match[3] ?? '').split('/').slice(1).map(Number);
  if (steps.some((step) => step >= 0x80000000)) return null;
  let { node } = parseExtendedPublicKey(match[2]!, network);
  for (const step of steps) node = node.derive(step);
  return { originPath: expression.startsWith('[') ? (match[1] ?? '').replaceAll("'", 'h') : null, steps, node };
}

const pathOf = (key: RangedKey, index: number): string | null =>
  key.originPath === null ? null : `m${key.originPath}${key.steps.map((step) => `/${step}`).join('')}/${index}`;
