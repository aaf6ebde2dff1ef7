/**
 * When the driver goes over the contracts that have something to be done, and which of them wait for an attestation that became known. What
 * takes long, or waits for others' servers, is done beside the rounds, a few at a time of each account.
 */

import type { Logger } from 'pino';
import type { ContractId } from '../../../core/ids.ts';
import { isLoggedOutage } from '../../../outages/outage.ts';
import { createFairQueue, type FairQueue } from '../../../scheduling/fair-queue.ts';
import { createWorker } from '../../../scheduling/worker.ts';
import type { AttestationRecord } from '../../../store/repositories/attestations.ts';
import type { ContractRecord } from '../../../store/repositories/contract-rows.ts';
import type { Store } from '../../../store/store.ts';
import type { ContractKey } from '../contract-moves.ts';
import { followedPoint } from '../settlement/chain-point.ts';
import type { ContractStep } from './contract-step.ts';

const INTERVAL_MS = 15_000;
const MAX_RETRY_MS = 1_000;
const PAGE = 100;
/** All open contracts are looked at as often: what no index told of, it is found. */
const ALL_INTERVAL_MS = 3_600_000;
/** Computing has bounds of its own (signing/adaptor-work.ts): these are for what waits. */
const LONG_AT_ONCE = { all: 8, ofAccount: 2 };
const WAITING_AT_ONCE = { all: 16, ofAccount: 4 };
const ATTESTED_AT_ONCE = { all: 8, ofAccount: 4 };
/** Long work that another process has not told of for so long has died with it. */
const STALE_MS = 60_000;

type After = { createdAt: number; contractId: ContractId } | null;

export function createRounds(deps: {
  store: Store;
  steps: readonly ContractStep[];
  advance: (key: ContractKey) => Promise<unknown>;
  isUnderWay: (contractId: ContractId) => boolean;
  onTip: (listener: () => void) => () => void;
  onAttestation: (listener: (attestation: AttestationRecord) => void) => () => void;
  clock: () => number;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  intervalMs?: number;
}) {
  const { store, steps, advance, isUnderWay, clock, log, intervalMs = INTERVAL_MS } = deps;
  const long = createFairQueue(LONG_AT_ONCE);
  const waiting = createFairQueue(WAITING_AT_ONCE);
  const attested = createFairQueue(ATTESTED_AT_ONCE);
  let allAt = 0;
  let unsubscribe = (): void => {};

  async function round(signal: AbortSignal, all = false): Promise<void> {
    const at = { now: clock(), ...(await followedPoint(store.read)) };
    for (let after: After = null; !signal.aborted; ) {
      const page: ContractRecord[] = await (all
        ? store.read.contracts.open(after, PAGE)
        : store.read.contracts.due(at, after, PAGE));
      for (const contract of page) {
        if (signal.aborted) return;
        await visit(contract);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) break;
      after = { createdAt: last.createdAt, contractId: last.contractId };
    }
  }

  async function visit(contract: ContractRecord): Promise<void> {
    const wanting = steps.filter((step) => step.wants(contract));
    if (wanting.length === 0) return;
    if (wanting.some((step) => step.long)) {
      if (!isUnderWay(contract.contractId) && !mayBeElsewhere(contract)) inTurn(long, contract);
    } else if (wanting.some((step) => step.waits)) inTurn(waiting, contract);
    else await quietly(advance(contract));
  }

  const inTurn = (queue: FairQueue, { accountId, contractId }: ContractKey): boolean =>
    queue.offer(contractId, { accountId }, () => quietly(advance({ accountId, contractId })));

  /** Of several processes another may be at it: its progress says so. */
  const mayBeElsewhere = ({ updatedAt }: ContractRecord): boolean =>
    store.kind !== 'sqlite' && clock() - updatedAt < STALE_MS;

  const quietly = (work: Promise<unknown>): Promise<unknown> =>
    work.catch((error: unknown) => {
      if (!isLoggedOutage(error)) log.error({ err: error }, 'a contract could not be taken on: it is tried again');
    });

  const worker = createWorker({
    ...{ name: 'contracts', log, clock, intervalMs, longestRetryMs: MAX_RETRY_MS, staysAlone: true },
    failed: 'the round over open contracts failed',
    recovered: 'the rounds over open contracts go on',
    alone: (signal, rounds) =>
      store.exclusively('contracts', signal, (held) => {
        allAt = 0;
        return rounds(held);
      }),
    wokenBy(wake) {
      const ends = [
        deps.onTip(() => wake()),
        // The chain shows a CET whose outcome nobody here knew: it tells it.
        store.onContractMoves(({ contract: { outcome, status } }) => {
          if (outcome === null && (status === 'executed' || status === 'closed')) wake();
        }),
      ];
      return () => {
        for (const end of ends) end();
      };
    },
    async round(signal) {
      const all = clock() >= allAt;
      await round(signal, all);
      if (all) allAt = clock() + ALL_INTERVAL_MS;
    },
  });

  /** Whoever waits for it, in whichever process it became known. */
  async function onAttested({ accountId, oracleId, eventId }: AttestationRecord): Promise<void> {
    for (const contract of await store.read.contracts.waitingFor(accountId, oracleId, eventId))
      inTurn(attested, contract);
  }

  function endBeside(): Promise<unknown> {
    const lanes = [long, waiting, attested];
    for (const lane of lanes) lane.dismiss('the service is closing');
    return Promise.all(lanes.map((lane) => lane.ended()));
  }

  return {
    counts: worker.counts,
    /** As soon as the account has its turn. */
    takeOn: (key: ContractKey): boolean => inTurn(long, key),
    /** Resolves when all that does not take long is done. */
    async round(signal: AbortSignal): Promise<void> {
      await round(signal);
      await waiting.ended();
    },
    start(signal: AbortSignal): void {
      unsubscribe = deps.onAttestation((attestation) => {
        if (!signal.aborted) void quietly(onAttested(attestation));
      });
      worker.start();
    },
    async stopped(): Promise<void> {
      unsubscribe();
      await worker.stop();
      await endBeside();
    },
  };
}
