/** A caller settles a contract by an outcome: what the account's own oracle attests for it, others have attested. */

import { DomainError } from '../../../core/errors.ts';
import type { AccountId, ContractId } from '../../../core/ids.ts';
import type { Network } from '../../../core/network.ts';
import type { ContractRecord } from '../../../store/repositories/contract-rows.ts';
import type { Repositories, Store } from '../../../store/store.ts';
import { atOnce, type Doing } from '../../approvals/held-operation.ts';
import type { HeldRequests } from '../../approvals/held-requests.ts';
import type { OracleService } from '../../oracles/oracle-service.ts';
import { notCountingItself, onContract } from '../approving/held-steps.ts';
import { askedOfContract, scriptsOfOther, twinOf } from '../asked-of-contract.ts';
import { applyMove } from '../contract-moves.ts';
import type { ContractService, ContractView } from '../contract-service.ts';
import { assertContractAllows, type ContractStage, stageOf } from '../contract-states.ts';
import { isFinal, isTime } from '../terms/locktimes.ts';
import { knownAttestations } from './attestations.ts';
import { followedPoint } from './chain-point.ts';
import type { SendClosing } from './closing-sender.ts';
import { assertPossible } from './contract-outcome.ts';
import { createExecutionText, requireApprovedCet } from './execution-text.ts';
import { assertSameOutcome, type BuiltSettlement, type SettleContract } from './settle-contract.ts';
import { missing, toAttest } from './to-attest.ts';

const SETTLED: readonly ContractStage[] = ['closing', 'executed', 'closed'];

export interface ExecuteDependencies {
  readonly store: Store;
  readonly held: Pick<HeldRequests, 'operation'>;
  readonly network: Network;
  readonly oracles: Pick<OracleService, 'attestFor' | 'attestationsOf' | 'fetchAttestation'>;
  readonly settling: SettleContract;
  readonly sendClosing: SendClosing;
  readonly require: (accountId: AccountId, contractId: ContractId) => Promise<ContractRecord>;
  readonly viewIn: (tx: Repositories, record: ContractRecord) => Promise<ContractView>;
  readonly clock: () => number;
}

export function createExecuteContract(deps: ExecuteDependencies): ContractService['execute'] {
  const { store, oracles, settling, network, viewIn, clock } = deps;
  const textOf = createExecutionText(deps);

  /** The answer where it was settled before, by us or anybody. */
  async function settledBefore(contract: ContractRecord, outcome: string, { record }: Pick<Doing, 'record'>) {
    if (contract.outcome === null) assertContractAllows('execute', contract);
    else assertSameOutcome(contract, [contract.outcome], outcome);
    const sent = await deps.sendClosing(contract);
    return store.write(async (tx) => {
      const now = (await tx.contracts.find(sent.accountId, sent.contractId)) ?? sent;
      const view = await viewIn(tx, now);
      await record(tx, { result: view, target: contract.contractId });
      return view;
    });
  }

  async function requireFinal({ contractId, cetLocktime }: ContractRecord): Promise<void> {
    const tip = await followedPoint(store.read);
    if (isFinal(cetLocktime, tip)) return;
    throw new DomainError(
      'state_conflict',
      isTime(cetLocktime)
        ? `the CETs of contract ${contractId} are locked until the chain's median time is past ${cetLocktime}; it is ${tip.medianTime}`
        : `the CETs of contract ${contractId} are locked until block ${cetLocktime}; the chain is at ${tip.height}`,
      { field: 'contract_id' },
    );
  }

  /** null where it was settled meanwhile. */
  async function commit(contract: ContractRecord, built: BuiltSettlement, { judge, record }: Doing) {
    return store.write(async (tx) => {
      await judge(tx);
      const held = await tx.contracts.findForUpdate(contract.accountId, contract.contractId);
      if (held === null || stageOf(held) !== 'confirmed') return null;
      const moved = await applyMove(tx, held, await settling.commit(tx, held, built), clock());
      await record(tx, { result: await viewIn(tx, moved), target: held.contractId });
      return moved;
    });
  }

  /** All that can be said before anything is attested or signed. `signal` null: from the database alone. */
  async function checked({ contractId, outcome }: Execution, accountId: AccountId, signal: AbortSignal | null) {
    const contract = await deps.require(accountId, contractId);
    assertContractAllows('execute', contract);
    const loaded = await settling.load(contract);
    const { contractInfo } = loaded.offer;
    assertPossible(contractInfo, outcome);
    await requireFinal(contract);
    return { contract, loaded, own: await toAttest(deps, contract, contractInfo, outcome, signal) };
  }

  async function settled({ contract, loaded, own }: Checked, outcome: string, doing: Doing): Promise<ContractView> {
    const { accountId, contractId } = contract;
    for (const event of own) await oracles.attestFor(accountId, { ...event, outcome }, doing);
    const known = await knownAttestations(oracles, contract);
    const built = await settling.build(loaded, known, doing.passed);
    if (built === null) throw missing(contract, known.attestations.length);
    assertSameOutcome(contract, built.outcomes, outcome);
    requireApprovedCet(doing, built.transaction.txid);
    const moved = await commit(contract, { ...built, outcome }, doing);
    if (moved === null) return settledBefore(await deps.require(accountId, contractId), outcome, doing);
    await deps.sendClosing(moved);
    return store.write(async (tx) => {
      const view = await viewIn(tx, (await tx.contracts.find(accountId, contractId)) ?? moved);
      await doing.amend(tx, view);
      return view;
    });
  }

  type Checked = Awaited<ReturnType<typeof checked>>;
  const execute = deps.held.operation<Execution, ContractView, Checked>({
    ...onContract('execute'),
    async describe(execution, accountId, signal) {
      const ready = await checked(execution, accountId, signal);
      const { contract, loaded, own } = ready;
      const also = own.length > 0 ? ({ also: 'attest' } as const) : {};
      const twin = await twinOf(store.read, contract);
      const { offer, acceptParty } = loaded.contract;
      const screens = scriptsOfOther(contract, { offer: offer.party, accept: acceptParty });
      return {
        ...{
          asked: { ...askedOfContract('contract_execute', contract, network, { twin }), ...screens, ...also },
          ready,
        },
        ...{ subject: execution.contractId, looking: notCountingItself(contract) },
        async signs() {
          const text = await textOf(loaded, execution.outcome, own);
          if (text === null) throw missing(contract, 0);
          return text;
        },
      };
    },
    async run(execution, doing, ready) {
      const { contractId, outcome } = execution;
      if (ready !== undefined) return settled(ready, outcome, doing);
      const contract = await deps.require(doing.accountId, contractId);
      if (isSettled(contract)) return settledBefore(contract, outcome, doing);
      // Accounts share the few at once that are carried out: no oracle that does not answer may hold them up.
      const now = await checked(execution, doing.accountId, null);
      requireApprovedCet(doing, (await textOf(now.loaded, outcome, now.own))?.unsigned_txid, now.own);
      return settled(now, outcome, doing);
    },
  });

  return async (contractId, { outcome: given }, context) => {
    const outcome = given.normalize('NFC');
    const contract = await deps.require(context.accountId, contractId);
    if (isSettled(contract)) return settledBefore(contract, outcome, atOnce(context));
    return execute({ contractId, outcome }, context);
  };
}

interface Execution {
  readonly contractId: ContractId;
  readonly outcome: string;
}

const isSettled = (contract: ContractRecord): boolean => SETTLED.includes(stageOf(contract));
