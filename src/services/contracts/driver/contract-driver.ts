/**
 * Takes every open contract on, step by step, from what the database holds: at start, at new tips, when an attestation becomes known, when
 * a request asks for it, and on a timer. It remembers nothing that a restart would lose. Of several processes one goes its rounds; what a
 * request began, its own process takes on, and steps commit conditionally, so that nothing happens twice.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { coinHoldOf } from '../../../core/dlc/coin-hold.ts';
import { DomainError } from '../../../core/errors.ts';
import type { ContractId } from '../../../core/ids.ts';
import { isLoggedOutage } from '../../../outages/outage.ts';
import type { Worker } from '../../../scheduling/worker.ts';
import type { AttestationRecord } from '../../../store/repositories/attestations.ts';
import type { ContractRecord } from '../../../store/repositories/contract-rows.ts';
import type { Repositories, Store } from '../../../store/store.ts';
import { updateAnswer } from '../../requests/idempotency.ts';
import type { RequestContext } from '../../requests/request-context.ts';
import type { ContractKey, ContractMoves } from '../contract-moves.ts';
import type { ContractView } from '../contract-service.ts';
import type { ContractStep } from './contract-step.ts';
import { createRounds } from './rounds.ts';

export interface ContractDriver extends Pick<Worker, 'name' | 'start' | 'stop' | 'counts'> {
  /** Takes one contract as far as it gets by itself now; those who ask meanwhile share the way. Answers it as it stands then. */
  advance(key: ContractKey): Promise<ContractRecord | null>;
  /** The same for the answer to a request: after a few seconds it is answered as it stands, and goes on behind. The kept answer follows. */
  answerAfter(key: ContractKey, context: RequestContext): Promise<ContractView>;
  /** Takes one on beside, when its account has its turn. */
  takeOn(key: ContractKey): void;
  /** It ended or changed by other means: long work on it stops. */
  interrupt(contractId: ContractId): void;
  /** One round over every open contract; resolves when all that does not take long is done. */
  round(signal?: AbortSignal): Promise<void>;
}

export interface DriverDependencies {
  readonly store: Store;
  readonly moves: Pick<ContractMoves, 'move'>;
  /** In order: of those that want a contract, the first that moves it. */
  readonly steps: readonly ContractStep[];
  readonly viewIn: (tx: Repositories, record: ContractRecord) => Promise<ContractView>;
  readonly onTip: (listener: () => void) => () => void;
  readonly onAttestation: (listener: (attestation: AttestationRecord) => void) => () => void;
  readonly clock: () => number;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly answerMs?: number;
  readonly intervalMs?: number;
}

/** How long a request waits for its contract to get on. */
const ANSWER_MS = 5_000;

interface Way {
  readonly done: Promise<ContractRecord | null>;
  readonly abort: AbortController;
}

export function createContractDriver(deps: DriverDependencies): ContractDriver {
  const { store, moves, steps, viewIn, log, answerMs = ANSWER_MS } = deps;
  const ways = new Map<string, Way>();
  /** Asked again while under way: what was read may be older than the reason to ask. */
  const again = new Set<string>();
  const ending = new AbortController();

  async function take(contract: ContractRecord, signal: AbortSignal): Promise<ContractRecord | null> {
    for (const step of steps) {
      if (signal.aborted || !step.wants(contract)) continue;
      try {
        const moved = await step.run(contract, signal);
        if (moved) return moved;
      } catch (error) {
        if (signal.aborted) return null;
        const failed = await settleFailure(step, contract, error);
        if (failed) return failed;
      }
    }
    return null;
  }

  /** Answers the contract where the failure ended it. */
  async function settleFailure(step: ContractStep, contract: ContractRecord, error: unknown) {
    const { contractId, status } = contract;
    if (error instanceof DomainError && error.code === 'contract_refused' && isUnfunded(contract)) {
      return moves.move(contract, [status], async (tx) => {
        await tx.coins.release(contract.accountId, coinHoldOf(contract.contractId));
        return { status: 'failed', reason: error.message, progress: null };
      });
    }
    if (isLoggedOutage(error)) {
      // It waits with all others.
    } else if (error instanceof DomainError || isAbort(error)) {
      log.info({ contractId, step: step.name, reason: error.message }, 'a contract waits');
    } else {
      log.error({ err: error, contractId, step: step.name }, 'a contract could not be taken on: it is tried again');
    }
    return null;
  }

  async function goOn(key: ContractKey, signal: AbortSignal): Promise<ContractRecord | null> {
    let contract = await store.read.contracts.find(key.accountId, key.contractId);
    while (contract && !signal.aborted) {
      again.delete(key.contractId);
      const moved = await take(contract, signal);
      if (moved === null && !again.has(key.contractId)) return contract;
      contract = moved ?? (await store.read.contracts.find(key.accountId, key.contractId));
    }
    return contract;
  }

  function advance(key: ContractKey): Promise<ContractRecord | null> {
    const under = ways.get(key.contractId);
    if (under) {
      again.add(key.contractId);
      return under.done;
    }
    const abort = new AbortController();
    const signal = AbortSignal.any([abort.signal, ending.signal]);
    const done = goOn(key, signal).finally(() => {
      ways.delete(key.contractId);
      again.delete(key.contractId);
    });
    ways.set(key.contractId, { done, abort });
    return done;
  }

  const rounds = createRounds({
    ...deps,
    advance,
    isUnderWay: (contractId) => ways.has(contractId),
  });

  return {
    advance,
    async answerAfter(key, context) {
      const waited = new AbortController();
      await Promise.race([
        advance(key).catch((error: unknown) => log.error({ err: error, ...key }, 'a contract could not be taken on')),
        sleep(answerMs, undefined, { signal: waited.signal }).catch(() => undefined),
      ]);
      waited.abort();
      return store.write(async (tx) => {
        const now = await tx.contracts.find(key.accountId, key.contractId);
        if (now === null) throw new Error(`contract ${key.contractId} is gone`);
        const view = await viewIn(tx, now);
        await updateAnswer(tx, context, view);
        return view;
      });
    },
    takeOn: (key) => void rounds.takeOn(key),
    interrupt: (contractId) => ways.get(contractId)?.abort.abort(),
    round: (signal = ending.signal) => rounds.round(signal),
    name: 'contracts',
    counts: rounds.counts,
    start: () => rounds.start(ending.signal),
    async stop() {
      ending.abort();
      await rounds.stopped();
      await Promise.allSettled([...ways.values()].map(({ done }) => done));
    },
  };
}

/** Somebody else took the contract on: the work here was given up. */
const isAbort = (error: unknown): error is Error => error instanceof Error && error.name === 'AbortError';

const isUnfunded = ({ status }: ContractRecord): boolean => status === 'offered' || status === 'accepted';
