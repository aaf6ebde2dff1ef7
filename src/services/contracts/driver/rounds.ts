/** When the driver goes over all open contracts, and which of them wait for an attestation that became known. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ContractRecord } from '../../../store/interfaces/contracts.ts';
import type { AttestationRecord } from '../../../store/interfaces/oracles.ts';
import type { Store } from '../../../store/store.ts';
import type { ContractKey } from '../contract-moves.ts';
import type { ContractStep } from './contract-step.ts';

const INTERVAL_MS = 15_000;
const RETRY_MS = 1_000;
const PAGE = 100;
/** Contracts that are signed at a time by one round. */
const LONG_AT_ONCE = 2;
/** Long work that another process has not told of for so long has died with it. */
const STALE_MS = 60_000;

export function createRounds(deps: {
  store: Store;
  steps: readonly ContractStep[];
  advance: (key: ContractKey) => Promise<unknown>;
  isUnderWay: (contractId: string) => boolean;
  onTip: (listener: () => void) => () => void;
  onAttestation: (listener: (attestation: AttestationRecord) => void) => () => void;
  clock: () => number;
  log: Pick<Logger, 'info' | 'error'>;
  intervalMs?: number;
}) {
  const { store, steps, advance, isUnderWay, clock, log, intervalMs = INTERVAL_MS } = deps;
  const long = new Set<Promise<unknown>>();
  let nudge = () => {};
  let nudged = false;
  let going: Promise<void> | null = null;
  let unsubscribe: (() => void)[] = [];

  async function round(signal: AbortSignal): Promise<void> {
    let after: { createdAt: number; contractId: string } | null = null;
    while (!signal.aborted) {
      const page: ContractRecord[] = await store.read.contracts.open(after, PAGE);
      for (const contract of page) {
        if (signal.aborted) return;
        await visit(contract, signal);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      after = { createdAt: last.createdAt, contractId: last.contractId };
    }
  }

  async function visit(contract: ContractRecord, signal: AbortSignal): Promise<void> {
    const wanting = steps.filter((step) => step.wants(contract));
    if (wanting.length === 0) return;
    if (!wanting.some((step) => step.long)) {
      await quietly(advance(contract));
      return;
    }
    if (isUnderWay(contract.contractId) || mayBeElsewhere(contract)) return;
    while (long.size >= LONG_AT_ONCE && !signal.aborted) await Promise.race(long);
    if (signal.aborted) return;
    const work = quietly(advance(contract)).finally(() => long.delete(work));
    long.add(work);
  }

  /** Of several processes another may be at it: its progress says so. */
  const mayBeElsewhere = ({ updatedAt }: ContractRecord): boolean =>
    store.kind !== 'sqlite' && clock() - updatedAt < STALE_MS;

  const quietly = (work: Promise<unknown>): Promise<unknown> =>
    work.catch((error: unknown) => log.error({ err: error }, 'a contract could not be taken on: it is tried again'));

  async function goRounds(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      nudged = false;
      let delayMs = intervalMs;
      try {
        await round(signal);
      } catch (error) {
        log.error({ err: error }, 'the round over open contracts failed');
        delayMs = RETRY_MS;
      }
      if (nudged || signal.aborted) continue;
      const waiting = new AbortController();
      nudge = () => waiting.abort();
      await sleep(delayMs, undefined, { signal: AbortSignal.any([signal, waiting.signal]), ref: false }).catch(
        () => {},
      );
      nudge = () => {};
    }
  }

  /** One process goes rounds; where it loses its turn (the database went away), it asks for another. */
  async function whileAlone(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await store.exclusively('contracts', signal, goRounds);
      } catch (error) {
        if (signal.aborted) return;
        log.info({ err: error }, 'the rounds over open contracts begin anew');
        await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => {});
      }
    }
  }

  /** Whoever waits for it, in whichever process it became known. */
  async function attested({ accountId, oracleId, eventId }: AttestationRecord): Promise<void> {
    const waiting = await store.read.contracts.waitingFor(accountId, oracleId, eventId);
    for (const contract of waiting) await quietly(advance(contract));
  }

  return {
    round,
    start(signal: AbortSignal): void {
      unsubscribe = [
        deps.onTip(() => {
          nudged = true;
          nudge();
        }),
        deps.onAttestation((attestation) => {
          if (!signal.aborted) void quietly(attested(attestation));
        }),
      ];
      going = whileAlone(signal);
    },
    async stopped(): Promise<void> {
      for (const end of unsubscribe) end();
      await going;
      await Promise.allSettled(long);
    },
  };
}
