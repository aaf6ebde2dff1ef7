/**
 * Contracts of every kind: a round reads each that a step would move now. What no index finds is not taken on: it would be neither settled
 * nor refunded before the sweep over all.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { pastRefund } from '../../../src/core/dlc/contract/checks/check-locktimes.ts';
import { createEndUnanswered } from '../../../src/services/contracts/driver/end-unanswered.ts';
import { createSendFunding } from '../../../src/services/contracts/making/send-funding.ts';
import { createSignBothSides } from '../../../src/services/contracts/making/sign-both-sides.ts';
import { isExpired } from '../../../src/services/contracts/remote/answers/still-open.ts';
import { remoteSteps } from '../../../src/services/contracts/remote/remote-steps.ts';
import { createLearnOutcome } from '../../../src/services/contracts/settlement/learn-outcome.ts';
import { createSendClosingStep } from '../../../src/services/contracts/settlement/send-closing-step.ts';
import { createSettleByItself } from '../../../src/services/contracts/settlement/settle-by-itself.ts';
import { isFinal } from '../../../src/services/contracts/terms/locktimes.ts';
import { CONTRACT_STATUSES, type ContractRecord } from '../../../src/store/repositories/contract-rows.ts';
import {
  attestationRecord,
  contractRecord,
  fullContractRecord,
  oracleEventRecord,
  oracleRecord,
} from '../../builders/contract-records.ts';
import { accountRecord, blockHashOf, txidOf } from '../../builders/store-records.ts';
import { openTemporarySqlite } from '../../builders/stores.ts';

const RUNS = 6_000;
const point = { height: 200, medianTime: 1_600_000_000 };
const now = 1_700_000_000_000;

/** Only what they want is asked. */
const unused = {} as never;
const [settle, refund] = createSettleByItself(unused);
const sure = [
  ...createSignBothSides(unused),
  ...remoteSteps(unused, unused),
  createSendFunding(unused),
  createLearnOutcome(unused),
  createSendClosingStep(unused),
];
const endUnanswered = createEndUnanswered(unused);

/** As the steps say, of one that has so many of its events attested. */
function isToBeTaken(contract: ContractRecord, attested: number): boolean {
  const closed = pastRefund(contract.refundLocktime, point) !== null || attested > 0;
  return (
    sure.some((step) => step.wants(contract)) ||
    (endUnanswered.wants(contract) && (closed || isExpired(contract, now))) ||
    (settle!.wants(contract) && isFinal(contract.cetLocktime, point) && attested >= contract.threshold) ||
    (refund!.wants(contract) && isFinal(contract.refundLocktime, point))
  );
}

const locktimes = [199, 200, 201, 1_599_999_999, 1_600_000_000, 1_600_000_001];
const closing = fc.record({
  fundingTxid: fc.constant(txidOf('f')),
  fundingVout: fc.constant(0),
  closingTxid: fc.constant(txidOf('c')),
  closingKind: fc.constantFrom('cet' as const, 'refund' as const, 'cooperative' as const, 'unknown' as const),
  closingHeight: fc.constantFrom(null, 150),
  outcome: fc.constantFrom(null, 'yes'),
});
/** Events of which the first is attested, and the second, too. */
const EVENTS = ['attested', 'attested too', 'to come'];
const contracts = fc.record({
  status: fc.constantFrom(...CONTRACT_STATUSES),
  role: fc.constantFrom('both' as const, 'offerer' as const, 'accepter' as const),
  acceptSide: fc.constantFrom(null, fullContractRecord('ctr_full').acceptSide),
  closing: fc.option(closing),
  events: fc.subarray(EVENTS, { minLength: 1 }),
  threshold: fc.constantFrom(1, 2),
  cetLocktime: fc.constantFrom(0, ...locktimes),
  refundLocktime: fc.constantFrom(...locktimes),
  expiresAt: fc.constantFrom(null, now - 1, now, now + 1),
});

it('is what a step would take on now, whatever became of the contract', async () => {
  await using opened = await openTemporarySqlite();
  const { store } = opened;
  const rows = fc.sample(contracts, { seed: 7, numRuns: RUNS }).map(({ closing: closed, events, ...row }, n) => {
    const record = contractRecord(`ctr_${n}`, {
      ...{ ...row, ...closed },
      closingBlockHash: closed?.closingHeight ? blockHashOf(150) : null,
      oracleIds: events.map(() => 'ora_a'),
      eventIds: events,
    });
    return { record, attested: events.filter((event) => event !== 'to come').length };
  });
  const attest = (event: string) =>
    store.write((tx) => tx.attestations.insert(attestationRecord('ora_a', event, ['yes'])));
  await store.write(async (tx) => {
    await tx.accounts.insert(accountRecord('acc_one'));
    await tx.oracles.insert(oracleRecord('ora_a'));
    for (const event of EVENTS) await tx.oracleEvents.insert(oracleEventRecord('ora_a', event));
  });
  await attest('attested');
  await store.write(async (tx) => {
    for (const { record } of rows) await tx.contracts.insert(record);
  });
  await attest('attested too');

  const due = new Set((await store.read.contracts.due({ ...point, now }, null, RUNS)).map((one) => one.contractId));
  const shown = ({ record, attested }: (typeof rows)[0]) => {
    const { status, role, threshold, closingTxid, closingKind, closingHeight, outcome, expiresAt } = record;
    const { cetLocktime, refundLocktime } = record;
    const told = { status, role, threshold, attested, closingTxid, closingKind, closingHeight, outcome };
    return { ...told, cetLocktime, refundLocktime, expiresAt, accepting: record.acceptSide !== null };
  };
  const forgotten = rows.filter(({ record, attested }) => isToBeTaken(record, attested) && !due.has(record.contractId));
  expect(forgotten.map(shown)).toEqual([]);
  // Neither all nor none.
  expect(due.size).toBeGreaterThan(RUNS / 10);
  expect(due.size).toBeLessThan((RUNS * 9) / 10);
});
