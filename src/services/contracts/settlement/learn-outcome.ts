/** A CET that the other side broadcast opened our adaptor signature: what the oracle attested can be read out of it. */

import type { Logger } from 'pino';
import type { ChainSource } from '../../../chain/chain-source.ts';
import { parseBlockTransactions } from '../../../core/blocks/block.ts';
import { type ParsedTransaction, parseTransaction } from '../../../core/blocks/transaction.ts';
import { announcementsOf } from '../../../core/dlc/contract/encryption-points.ts';
import { extractAttestation } from '../../../core/dlc/contract/extract-attestation.ts';
import { serializeAttestation } from '../../../core/dlc/messages/attestation.ts';
import { DomainError, isWithoutAnswer } from '../../../core/errors.ts';
import type { ContractRecord } from '../../../store/interfaces/contracts.ts';
import type { Store } from '../../../store/store.ts';
import type { OracleService } from '../../oracles/oracle-service.ts';
import type { PreviousTransactions } from '../../transactions/signing/previous-transactions.ts';
import type { ContractMoves } from '../contract-moves.ts';
import type { ContractStep } from '../driver/contract-step.ts';
import { type LoadedContract, loadContract, signaturesOf } from '../load-contract.ts';
import { caseOutcome } from './contract-outcome.ts';

const SETTLED = ['executed', 'closed'] as const;

export function createLearnOutcome(deps: {
  store: Store;
  chain: Pick<ChainSource, 'block'>;
  moves: Pick<ContractMoves, 'move'>;
  oracles: Pick<OracleService, 'keepAttestation'>;
  previousTransactions: PreviousTransactions;
  log: Pick<Logger, 'info' | 'warn'>;
}): ContractStep {
  const { store, moves, log } = deps;

  async function closingTransaction(contract: ContractRecord): Promise<ParsedTransaction | null> {
    const { accountId, closingTxid, closingBlockHash } = contract;
    const raw = (await deps.previousTransactions(accountId, [closingTxid!])).get(closingTxid!);
    if (raw) return parseTransaction(raw);
    if (closingBlockHash === null) return null;
    try {
      const block = await deps.chain.block(closingBlockHash);
      const found = block && parseBlockTransactions(block.bytes).find(({ txid }) => txid === closingTxid);
      return found ? parseTransaction(found.raw) : null;
    } catch (error) {
      if (isWithoutAnswer(error)) return null;
      throw error;
    }
  }

  /** Of one oracle and one nonce the attestation is whole, and others may need it. */
  async function keep(
    { record, contract }: LoadedContract,
    { caseIndex, signature }: NonNullable<ReturnType<typeof extractAttestation>>,
  ): Promise<void> {
    if (signature === null) return;
    const { contractCase } = contract.partOf(caseIndex);
    const { publicKey, event } = announcementsOf(contractCase.oracleInfo)[signature.oracle]!;
    const attestation = {
      eventId: event.eventId,
      publicKey,
      signatures: [signature.bytes],
      outcomes: [signature.outcome],
    };
    try {
      await deps.oracles.keepAttestation(record.accountId, serializeAttestation(attestation), 'chain');
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      log.warn({ contractId: record.contractId, reason: error.message }, 'an attestation out of a CET was not kept');
    }
  }

  return {
    name: 'learn outcome',
    wants: ({ outcome, closingTxid, closingKind, status }) =>
      outcome === null && closingTxid !== null && closingKind === 'cet' && SETTLED.some((one) => one === status),
    async run(contract) {
      const transaction = await closingTransaction(contract);
      if (transaction === null) return null;
      const loaded = await loadContract(store.read, contract);
      // The other side's was opened where our keys are in another service, too.
      for (const side of ['offer', 'accept'] as const) {
        const { cetAdaptorSignatures: adaptorSignatures } = await signaturesOf(store.read, loaded, side);
        const extracted = extractAttestation(loaded.contract, transaction, { side, adaptorSignatures });
        if (extracted === null) continue;
        await keep(loaded, extracted);
        const outcome = caseOutcome(loaded.contract, extracted.caseIndex);
        return moves.move(contract, SETTLED, async (_tx, held) =>
          held.outcome === null && held.closingTxid === contract.closingTxid ? { outcome, closingKind: 'cet' } : null,
        );
      }
      // It looks like one of the contract's CETs and is none: both sides signed something else.
      return moves.move(contract, SETTLED, async (_tx, held) =>
        held.closingKind === 'cet' && held.closingTxid === contract.closingTxid ? { closingKind: 'unknown' } : null,
      );
    },
  };
}
