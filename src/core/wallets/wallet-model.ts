import type { Network } from '../network.ts';
import type { ScriptType } from '../script-type.ts';

/** What a wallet's descriptors come to: scripts by branch and index, without any secret. Pure. */
export interface WalletModel {
  readonly network: Network;
  readonly scriptType: ScriptType;
  /** False for a descriptor without wildcard: index 0 of the external branch is all there is. */
  readonly ranged: boolean;
  readonly hasChangeBranch: boolean;
  /** With origin and checksum (BIP380). */
  readonly externalDescriptor: string;
  readonly internalDescriptor: string | null;
  /** Most weight units that satisfying one input takes, scriptSig and witness, for vsize before signing. */
  readonly inputWeight: number;
  scriptAt(change: boolean, index: number): { scriptPubKey: string; address: string };
}
