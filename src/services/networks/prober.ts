/**
 * Asks the nodes of all networks who they are: those of each account in turn, one node once however many accounts name it, at an interval, and
 * further and further apart while it is not reachable. One process of several does it.
 */
import type { AccountId } from '../../core/ids.ts';
import { nodeAddress } from '../../core/nodes/node-address.ts';
import { NodeRefused } from '../../core/nodes/node-refused.ts';
import type { Probing } from '../../engines/probing/probing.ts';
import { createWorkOutage, type OutageLog } from '../../outages/outage.ts';
import { createJobQueue, type Job } from '../../scheduling/job-queue.ts';
import type { Worker } from '../../scheduling/worker.ts';
import type { ProbeRecord } from '../../store/repositories/node-probes.ts';
import type { NetworkDeps } from './network-service.ts';

const ROUND_MS = 5_000;
const AT_ONCE = { all: 32, ofAccount: 4, ofHost: 1 };
/** Read in a round: all that an account may have. */
const DUE = { ofEach: 100, all: 1_000 };
const EVERY_MS = 600_000;
const FIRST_RETRY_MS = 60_000;
const LONGEST_RETRY_MS = 6 * 3_600_000;

interface Probe extends Job {
  readonly target: string;
  /** null: nobody names it any more. */
  readonly of: AccountId | null;
}

export function createProber(
  deps: NetworkDeps & { probing: Probing; log: OutageLog; random?: () => number; roundMs?: number },
): Worker {
  const { store, network, probing, clock, log, random = Math.random, roundMs = ROUND_MS } = deps;
  const { read } = store;

  /** Nodes that were added together are not asked together for ever. */
  const spread = (ms: number): number => Math.round(ms * (0.9 + 0.2 * random()));

  /** Asked again for the account then, and not before: names of an address that it has just asked under another. Others have turns of their own. */
  const rests = new Map<string, number>();

  /** null: not asked now. */
  async function probed({ target, failures }: ProbeRecord, accountId: AccountId, signal: AbortSignal) {
    const address = nodeAddress(target, network);
    if (address === null || address === 'onion') return null;
    try {
      const claims = await probing.probe(address, { accountId, nth: failures }, signal);
      if (claims === null) return null;
      const { claimedHeight } = claims;
      const tip = claimedHeight === null ? null : await read.ledger.tip();
      const lag = tip === null || claimedHeight === null ? null : tip.height - claimedHeight;
      const at = clock();
      return { ...claims, problem: null, lag, failures: 0, probedAt: at, nextAt: at + spread(EVERY_MS) };
    } catch (error) {
      if (!(error instanceof NodeRefused)) throw error;
      const at = clock();
      const pauseMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures, 20));
      const nothing = { protocolVersion: null, userAgent: null, claimedHeight: null, lag: null };
      const nextAt = at + spread(pauseMs);
      return { ...nothing, problem: error.problem, failures: failures + 1, probedAt: at, nextAt };
    }
  }

  async function perform({ key, target, of }: Probe, signal: AbortSignal): Promise<'done' | 'more' | 'later'> {
    if (of === null) {
      await store.write((tx) => tx.nodeProbes.forget([target], clock()));
      return 'more';
    }
    const known = await read.nodeProbes.find(target);
    // Another account's turn has come before.
    if (known === null || known.nextAt > clock()) return 'done';
    try {
      const patch = await probed(known, of, signal);
      if (patch === null) rests.set(key, clock() + spread(FIRST_RETRY_MS));
      else await store.write((tx) => tx.nodeProbes.update(target, patch));
      return 'done';
    } catch (error) {
      if (signal.aborted) return 'later';
      throw error;
    }
  }

  return createJobQueue<Probe>({
    ...{ name: 'networks', log, clock, intervalMs: roundMs, atOnce: AT_ONCE },
    failed: 'the nodes that are to be probed could not be read',
    recovered: 'the nodes that are to be probed are read again',
    failing: createWorkOutage({
      ...{ part: 'networks', log, clock },
      began: 'what nodes answered could not be stored',
      ended: 'what nodes answer is stored again',
    }),
    alone: (signal, rounds) => store.exclusively('networks', signal, rounds),
    async due() {
      const now = clock();
      for (const [key, until] of rests) if (until <= now) rests.delete(key);
      const jobs = (await read.nodeProbes.due(now, DUE)).map(({ accountId, target }) => {
        const host = /^(?:https?:\/\/)?([^/]+)/.exec(target)?.[1];
        return { key: `${accountId} ${target}`, accountId: accountId ?? '', host, target, of: accountId };
      });
      return jobs.filter(({ key }) => !rests.has(key));
    },
    perform,
  });
}
