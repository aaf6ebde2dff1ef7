/** Payments that will be committed together: the change of one may be spent by the next before it is in the database. */

import type { CandidateCoin } from '../../../core/coin-selection/candidate.ts';
import { DomainError } from '../../../core/errors.ts';
import type { WalletId } from '../../../core/ids.ts';
import { outpointKey } from '../../../core/outpoint.ts';
import type { ScriptType } from '../../../core/script-type.ts';
import type { PendingNode } from '../coins/ancestry.ts';
import type { BuiltTransaction } from './built-transaction.ts';

export interface Batch {
  readonly nodes: readonly PendingNode[];
  /** Unspent change of the batch's payments from the wallet. */
  coins(walletId: WalletId): CandidateCoin[];
  /** The outpoint ("txid:vout") is an output of the batch. */
  made(outpoint: string): boolean;
  /** A payment of the batch spends the outpoint. */
  spends(outpoint: string): boolean;
  spentCount(): number;
  /** The batch has taken coins, of whatever wallet. */
  holdsCoins(): boolean;
  /** Throws `already_exists` where a payment of the batch has the external_id. */
  assertNew(externalId: string): void;
  add(built: BuiltTransaction, scriptType: ScriptType): void;
}

export function createBatch(): Batch {
  const nodes: PendingNode[] = [];
  const change = new Map<string, { walletId: WalletId; coin: CandidateCoin }>();
  const outputs = new Set<string>();
  const spent = new Set<string>();
  const externalIds = new Set<string | null>();

  return {
    nodes,
    coins: (walletId) => [...change.values()].filter((one) => one.walletId === walletId).map(({ coin }) => coin),
    made: (outpoint) => outputs.has(outpoint),
    spends: (outpoint) => spent.has(outpoint),
    spentCount: () => spent.size,
    holdsCoins: () => nodes.length > 0,
    assertNew(externalId) {
      if (!externalIds.has(externalId)) return;
      throw new DomainError('already_exists', 'an earlier request of this batch has the same external_id', {
        field: 'external_id',
      });
    },
    add(built, scriptType) {
      externalIds.add(built.externalId);
      const { txid, vsize, feeSats, inputs, wallet, changeLease, version, raw } = built;
      nodes.push({ txid, vsize, feeSats, parents: [...new Set(inputs.map((input) => input.txid))] });
      for (const key of inputs.map(outpointKey)) {
        spent.add(key);
        change.delete(key);
      }
      built.outputs.forEach((output, vout) => {
        const key = outpointKey({ txid, vout });
        outputs.add(key);
        // Nothing is built on a payment that may never be signed.
        if (!changeLease || output.recipient !== null || raw === null) return;
        change.set(key, {
          walletId: wallet.walletId,
          coin: {
            ...{ txid, vout, scriptType, confirmations: 0, own: true, coinbase: false, txVersion: version },
            amountSats: output.amountSats,
            scriptPubKey: output.scriptPubKey,
            change: changeLease.change,
            index: changeLease.index,
          },
        });
      });
    },
  };
}
