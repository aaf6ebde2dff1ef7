/** Asks nodes that accounts name who they are: over connections whose address was checked, bounded in bytes and time. */
import type { AccountId } from '../../core/ids.ts';
import type { NodeClaims } from '../../core/nodes/handshake.ts';
import type { NodeAddress } from '../../core/nodes/node-address.ts';

export interface Probing {
  /**
   * Completes a handshake of the network: Bitcoin's P2P, or over HTTP the genesis hash and the height of the tip (Esplora). `nth` picks one of
   * the host's addresses. null: that address was asked for this account just now. Throws NodeRefused, and the signal's reason.
   */
  probe(address: NodeAddress, asked: Asked, signal: AbortSignal): Promise<NodeClaims | null>;
}
interface Asked {
  readonly accountId: AccountId;
  readonly nth: number;
}
