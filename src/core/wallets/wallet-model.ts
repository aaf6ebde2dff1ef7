import { DomainError } from '../errors.ts';
import type { Network } from '../network.ts';
import type { ScriptType } from '../script-type.ts';
import { type AddressedScript, type DescriptorBranch, openBranch } from './descriptor-branch.ts';
import type { Timelocks } from './timelocks.ts';

/** What a wallet's descriptors come to: scripts by branch and index, without any secret. Pure. */
export interface WalletModel {
  readonly network: Network;
  /** How spends are sized and signed. Wallets of scripts (wsh: 'p2wsh'; sh(wsh), sh: 'p2sh') are sized by inputWeight. */
  readonly scriptType: ScriptType;
  /** False for a descriptor without wildcard: index 0 of the external branch is all there is. */
  readonly ranged: boolean;
  readonly hasChangeBranch: boolean;
  /** With origin and checksum (BIP380). */
  readonly externalDescriptor: string;
  readonly internalDescriptor: string | null;
  /** Most weight units that one input of a payment takes, outpoint, sequence, scriptSig and witness, for vsize before signing. */
  readonly inputWeight: number;
  /** What every spend waits for; asked for when paying. Throws `signing_unavailable` where that is a time. */
  timelocks(): Timelocks;
  scriptAt(change: boolean, index: number): AddressedScript;
  /** Full derivation path, "m/84h/1h/0h/0/5"; null where there are several keys or no origin is known. */
  pathAt(change: boolean, index: number): string | null;
}

/** The model of a wallet's descriptors as they are stored. Throws `invalid_descriptor` or `wrong_network`. */
export function walletModel(
  descriptors: { readonly external: string; readonly internal: string | null },
  network: Network,
): WalletModel {
  const external = openBranch(descriptors.external, network);
  const internal = descriptors.internal === null ? null : openBranch(descriptors.internal, network);
  const branch = (change: boolean): DescriptorBranch => {
    if (!change) return external;
    if (internal) return internal;
    throw new DomainError('unsupported', 'this wallet has no change branch');
  };
  return {
    network,
    scriptType: external.scriptType,
    ranged: external.ranged,
    hasChangeBranch: internal !== null,
    externalDescriptor: descriptors.external,
    internalDescriptor: descriptors.internal,
    get inputWeight() {
      return external.inputWeight();
    },
    timelocks: external.timelocks,
    scriptAt: (change, index) => branch(change).scriptAt(index),
    pathAt: (change, index) => branch(change).pathAt(index),
  };
}
