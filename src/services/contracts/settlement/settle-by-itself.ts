/** What happens to a confirmed contract without anybody asking: settled when its attestations are known, refunded when its time is over. */
import type { Txid } from '../../../core/outpoint.ts';
import type { ContractPatch, ContractRecord } from '../../../store/repositories/contract-rows.ts';
import type { Repositories, Store } from '../../../store/store.ts';
import type { OracleService } from '../../oracles/oracle-service.ts';
import { OF_SERVICE } from '../../policies/gate.ts';
import type { ContractMoves } from '../contract-moves.ts';
import { stageOf } from '../contract-states.ts';
import type { ContractStep } from '../driver/contract-step.ts';
import { isFinal } from '../terms/locktimes.ts';
import { knownAttestations } from './attestations.ts';
import { followedPoint } from './chain-point.ts';
import type { SendClosing } from './closing-sender.ts';
import { createLastOracleQuery } from './last-oracle-query.ts';
import type { RefundContract } from './refund-contract.ts';
import type { SettleContract } from './settle-contract.ts';

export function createSettleByItself(deps: {
  store: Store;
  moves: Pick<ContractMoves, 'move'>;
  oracles: Pick<OracleService, 'attestationsOf' | 'askForAttestation'>;
  settling: Pick<SettleContract, 'load' | 'build' | 'commit'>;
  refunding: RefundContract;
  sendClosing: SendClosing;
  clock: () => number;
}): ContractStep[] {
  const { store, moves, oracles, settling, refunding, sendClosing } = deps;
  const askOnceMore = createLastOracleQuery(deps);
  /** How many attestations decided nothing: none goes again, so that as many are the same, and going through all cases costs. */
  const undecided = new Map<string, number>();
  const isConfirmed = (contract: ContractRecord): boolean => stageOf(contract) === 'confirmed';

  async function settle(contract: ContractRecord): Promise<ContractRecord | null> {
    if (!isFinal(contract.cetLocktime, await followedPoint(store.read))) return null;
    const known = await knownAttestations(oracles, contract);
    const there = known.attestations.length;
    if (there < contract.threshold || undecided.get(contract.contractId) === there) return null;
    const built = await settling.build(await settling.load(contract), known, OF_SERVICE);
    if (built === null) {
      if (undecided.size >= MAX_REMEMBERED) undecided.clear();
      undecided.set(contract.contractId, there);
    }
    if (built === null || (await refusedLately(contract, built.transaction.txid))) return null;
    return closed(contract, (tx, held) => settling.commit(tx, held, built));
  }

  async function closed(
    contract: ContractRecord,
    commit: (tx: Repositories, held: ContractRecord) => Promise<ContractPatch>,
  ): Promise<ContractRecord | null> {
    const moved = await moves.move(contract, ['confirmed'], async (tx, held) =>
      isConfirmed(held) ? commit(tx, held) : null,
    );
    return moved && sendClosing(moved);
  }

  /** What a node refused for good a moment ago it refuses again. */
  async function refusedLately({ accountId }: ContractRecord, txid: Txid): Promise<boolean> {
    const before = await store.read.transactions.find(accountId, txid);
    return before?.status === 'failed' && deps.clock() - before.updatedAt < AGAIN_MS;
  }

  return [
    { name: 'settle', wants: isConfirmed, run: settle },
    {
      name: 'refund',
      waits: true,
      wants: isConfirmed,
      async run(contract, signal) {
        if (!isFinal(contract.refundLocktime, await followedPoint(store.read))) return null;
        if (!(await askOnceMore(contract, signal))) return null;
        const settled = await settle(contract);
        if (settled) return settled;
        const refund = await refunding.build(contract);
        if (await refusedLately(contract, refund.txid)) return null;
        return closed(contract, (tx, held) => refunding.commit(tx, held, refund));
      },
    },
  ];
}

const AGAIN_MS = 600_000;
const MAX_REMEMBERED = 10_000;
