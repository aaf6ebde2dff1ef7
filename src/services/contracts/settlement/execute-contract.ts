/** A caller settles a contract by an outcome: what the account's own oracle attests for it, others have attested. */

import { announcementsOf } from '../../../core/dlc/contract/encryption-points.ts';
import type { ContractInfo } from '../../../core/dlc/contract-info.ts';
import { outcomeText } from '../../../core/dlc/oracle/outcome-text.ts';
import type { OracleAnnouncement } from '../../../core/dlc/oracle-event.ts';
import { DomainError } from '../../../core/errors.ts';
import type { ContractId } from '../../../core/ids.ts';
import type { Network } from '../../../core/network.ts';
import { createFairQueue } from '../../../scheduling/fair-queue.ts';
import type { AttestationRecord } from '../../../store/repositories/attestations.ts';
import type { ContractRecord } from '../../../store/repositories/contract-rows.ts';
import type { Repositories, Store } from '../../../store/store.ts';
import type { OracleService } from '../../oracles/oracle-service.ts';
import { type Gate, speaking } from '../../policies/gate.ts';
import { updateAnswer } from '../../requests/idempotency.ts';
import { recordRequest } from '../../requests/record-request.ts';
import type { RequestContext } from '../../requests/request-context.ts';
import { letContractPass, letPass } from '../asked-of-contract.ts';
import { applyMove } from '../contract-moves.ts';
import type { ContractService, ContractView } from '../contract-service.ts';
import { assertContractAllows, type ContractStage, stageOf } from '../contract-states.ts';
import { isFinal, isTime } from '../terms/locktimes.ts';
import { knownAttestations } from './attestations.ts';
import { followedPoint } from './chain-point.ts';
import type { SendClosing } from './closing-sender.ts';
import { assertPossible } from './contract-outcome.ts';
import { assertSameOutcome, type BuiltSettlement, type SettleContract } from './settle-contract.ts';

/** Well below what an account may ask at once (src/engines/fetching): what is not asked counts as not attested. */
const ASKED_AT_ONCE = 4;
const SETTLED: readonly ContractStage[] = ['closing', 'executed', 'closed'];

export interface ExecuteDependencies {
  readonly store: Store;
  readonly gate: Gate;
  readonly network: Network;
  readonly oracles: Pick<OracleService, 'attestFor' | 'attestationsOf' | 'fetchAttestation'>;
  readonly settling: SettleContract;
  readonly sendClosing: SendClosing;
  readonly require: (accountId: string, contractId: ContractId) => Promise<ContractRecord>;
  readonly viewIn: (tx: Repositories, record: ContractRecord) => Promise<ContractView>;
  readonly clock: () => number;
}

export function createExecuteContract(deps: ExecuteDependencies): ContractService['execute'] {
  const { store, oracles, settling, viewIn, clock } = deps;

  /**
   * Has attestations found, and then made, until enough are there. The account's own oracles attest last, and only where that suffices: what
   * they attest stands for ever. So what others attested counts where it is the same outcome, or a number as near as the contract covers in any case. Throws `outcome_conflict`.
   */
  async function attested(
    contract: ContractRecord,
    { cases }: ContractInfo,
    outcome: string,
    context: RequestContext,
  ): Promise<void> {
    const announced = cases.flatMap(({ oracleInfo }) => announcementsOf(oracleInfo));
    const { accountId, oracleIds, eventIds, threshold } = contract;
    const events = oracleIds.map((oracleId, position) => ({ oracleId, eventId: eventIds[position]! }));
    const few = createFairQueue({ all: ASKED_AT_ONCE });
    const found = await Promise.all(
      events.map(async ({ oracleId, eventId }) => {
        const [first] = await oracles.attestationsOf(accountId, oracleId, eventId);
        if (first !== undefined) return said(announced, first);
        if ((await store.read.oracles.find(accountId, oracleId))?.kind === 'local') return 'own';
        const fetched = await few.take({ accountId }, () => oracles.fetchAttestation(accountId, oracleId, eventId));
        return fetched ? said(announced, fetched) : 'missing';
      }),
    );
    const there = found.filter((one) => typeof one === 'object');
    const own = events.filter((_event, position) => found[position] === 'own');
    if (there.length + own.length < threshold) throw missing(contract, there.length);
    if (there.length >= threshold) return;
    const tolerance = toleranceOf(cases);
    const agreeing = there.filter((one) => agree(one.outcome, outcome, tolerance)).length;
    if (agreeing + own.length < threshold) throw disagreeing(contract, there, outcome);
    const passed = await letPass(deps.gate, context, speaking('attest', null));
    for (const event of own.slice(0, threshold - agreeing)) {
      await oracles.attestFor(accountId, { ...event, outcome }, passed);
    }
  }

  /** The answer where it was settled before, by us or anybody. */
  async function settledBefore(contract: ContractRecord, outcome: string, context: RequestContext) {
    if (contract.outcome === null) assertContractAllows('execute', contract);
    else assertSameOutcome(contract, [contract.outcome], outcome);
    const sent = await deps.sendClosing(contract);
    return store.write(async (tx) => {
      const now = (await tx.contracts.find(sent.accountId, sent.contractId)) ?? sent;
      const view = await viewIn(tx, now);
      await recordRequest(tx, context, { result: view, target: contract.contractId });
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
  async function commit(contract: ContractRecord, built: BuiltSettlement, context: RequestContext) {
    return store.write(async (tx) => {
      const held = await tx.contracts.findForUpdate(contract.accountId, contract.contractId);
      if (held === null || stageOf(held) !== 'confirmed') return null;
      const moved = await applyMove(tx, held, await settling.commit(tx, held, built), clock());
      await recordRequest(tx, context, { result: await viewIn(tx, moved), target: held.contractId });
      return moved;
    });
  }

  return async (contractId, { outcome: given }, context) => {
    const outcome = given.normalize('NFC');
    const contract = await deps.require(context.accountId, contractId);
    if (SETTLED.includes(stageOf(contract))) return settledBefore(contract, outcome, context);
    assertContractAllows('execute', contract);
    const loaded = await settling.load(contract);
    assertPossible(loaded.offer.contractInfo, outcome);
    await requireFinal(contract);
    const passed = await letContractPass(deps, 'contract_execute', contract, context);
    await attested(contract, loaded.offer.contractInfo, outcome, context);
    const known = await knownAttestations(oracles, contract);
    const built = await settling.build(loaded, known, passed);
    if (built === null) throw missing(contract, known.attestations.length);
    assertSameOutcome(contract, built.outcomes, outcome);
    const moved = await commit(contract, { ...built, outcome }, context);
    if (moved === null) {
      return settledBefore(await deps.require(context.accountId, contractId), outcome, context);
    }
    await deps.sendClosing(moved);
    return store.write(async (tx) => {
      const now = (await tx.contracts.find(moved.accountId, contractId)) ?? moved;
      const view = await viewIn(tx, now);
      await updateAnswer(tx, context, view);
      return view;
    });
  };
}

/** How far numbers of several oracles may lie apart and decide together; 0 where they must be equal, or other cases say otherwise. */
const toleranceOf = (cases: ContractInfo['cases']): bigint =>
  cases
    .map(({ descriptor, oracleInfo }) => {
      const params = descriptor.kind === 'numeric' && oracleInfo.kind === 'multi' ? oracleInfo.params : null;
      return params === null ? 0n : 2n ** BigInt(params.minFailExp);
    })
    .reduce((least, one) => (one < least ? one : least));

function agree(attested: string, outcome: string, tolerance: bigint): boolean {
  if (attested === outcome) return true;
  if (tolerance === 0n) return false;
  const apart = BigInt(attested) - BigInt(outcome);
  return apart <= tolerance && -apart <= tolerance;
}

/** What an attestation that is there says. */
const said = (announced: readonly OracleAnnouncement[], { eventId, outcomes }: AttestationRecord) => {
  const event = announced.find((one) => one.event.eventId === eventId)?.event;
  const list = JSON.parse(outcomes) as string[];
  return { outcome: event === undefined ? list.join() : outcomeText(event, list) };
};

function disagreeing(
  { contractId, threshold, refundLocktime }: ContractRecord,
  there: readonly { readonly outcome: string }[],
  outcome: string,
): DomainError {
  const attested = [...new Set(there.map((one) => JSON.stringify(one.outcome)))].join(', ');
  return new DomainError(
    'outcome_conflict',
    `of contract ${contractId}'s oracles ${there.length} attested already: ${attested}. With ${JSON.stringify(outcome)} not the ${threshold} that it takes ` +
      `would agree, and nothing was attested: execute with what was attested, close it by agreement, or wait for the refund locktime ${refundLocktime}`,
    { field: 'outcome' },
  );
}

function missing({ contractId, oracleIds, threshold }: ContractRecord, found: number): DomainError {
  const sentence =
    oracleIds.length === 1
      ? `no attestation by oracle ${oracleIds[0]} is known that settles contract ${contractId}`
      : `${found} attestations of contract ${contractId}'s oracles are known, which do not decide it (it takes ${threshold} that agree)`;
  return new DomainError(
    'attestation_missing',
    `${sentence}: post it (POST /api/v1/dlc/attestations) or try again when the oracle has published it`,
    { field: 'outcome' },
  );
}
