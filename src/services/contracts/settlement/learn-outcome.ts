/** A CET that the other side broadcast opened our adaptor signature: what the oracle attested can be read out of it. */

import type { Logger } from 'pino';
import type { ChainSource } from '../../../chain/chain-source.ts';
import { parseBlockTransactions } from '../../../core/blocks/block.ts';
import { DomainError, isWithoutAnswer } from '../../../core/errors.ts';
import type { ContractRecord } from '../../../store/repositories/contract-rows.ts';
import type { Store } from '../../../store/store.ts';
import type { OracleService } from '../../oracles/oracle-service.ts';
import type { PreviousTransactions } from '../../transactions/signing/previous-transactions.ts';
import type { ContractMoves } from '../contract-moves.ts';
import type { ContractStep } from '../driver/contract-step.ts';
import { signedMessageBytes } from '../load-contract.ts';
import type { AdaptorWork } from '../signing/adaptor-work.ts';

const SETTLED = ['executed', 'closed'] as const;

export function createLearnOutcome(deps: {
  store: Store;
  chain: Pick<ChainSource, 'block'>;
  moves: Pick<ContractMoves, 'move'>;
  cets: Pick<AdaptorWork, 'learn'>;
  oracles: Pick<OracleService, 'storeAttestation'>;
  previousTransactions: PreviousTransactions;
  log: Pick<Logger, 'info' | 'warn'>;
}): ContractStep {
  const { store, moves, log } = deps;

  async function closingTransaction(contract: ContractRecord): Promise<Uint8Array | null> {
    const { accountId, closingTxid, closingBlockHash } = contract;
    const raw = (await deps.previousTransactions(accountId, [closingTxid!])).get(closingTxid!);
    if (raw) return raw;
    if (closingBlockHash === null) return null;
    try {
      const block = await deps.chain.block(closingBlockHash);
      const found = block && parseBlockTransactions(block.bytes).find(({ txid }) => txid === closingTxid);
      return found?.raw ?? null;
    } catch (error) {
      if (isWithoutAnswer(error)) return null;
      throw error;
    }
  }

  /** Others may need it. */
  async function keep({ accountId, contractId }: ContractRecord, attestation: Uint8Array): Promise<void> {
    try {
      await deps.oracles.storeAttestation(accountId, attestation, 'chain');
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      log.warn({ contractId, reason: error.message }, 'an attestation out of a CET was not kept');
    }
  }

  return {
    name: 'learn outcome',
    waits: true,
    wants: ({ outcome, closingTxid, closingKind, status }) =>
      outcome === null && closingTxid !== null && closingKind === 'cet' && SETTLED.some((one) => one === status),
    async run(contract, signal) {
      const transaction = await closingTransaction(contract);
      if (transaction === null) return null;
      const messages = await signedMessageBytes(store.read, contract);
      const learned = await deps.cets.learn({
        ...messages,
        ...{ accountId: contract.accountId, dialect: contract.dialect, transaction, signal },
      });
      if (learned?.attestation) await keep(contract, learned.attestation);
      // What looks like one of the contract's CETs and is none was signed by both sides, too.
      const known = learned === null ? ({ closingKind: 'unknown' } as const) : { outcome: learned.outcome };
      return moves.move(contract, SETTLED, async (_tx, held) => {
        const stands = held.outcome === null && held.closingKind === 'cet' && held.closingTxid === contract.closingTxid;
        return stands ? known : null;
      });
    },
  };
}
