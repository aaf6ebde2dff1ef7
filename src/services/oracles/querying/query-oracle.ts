import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { hex } from '../../../core/bytes.ts';
import type { OracleId } from '../../../core/ids.ts';
import { type Fetched, FetchFailed, type FetchFailure, type Fetching } from '../../../engines/fetching/fetching.ts';
import { createOutage, type Outage } from '../../../outages/outage.ts';
import type { OracleEventRecord } from '../../../store/repositories/oracle-events.ts';
import type { OracleRecord } from '../../../store/repositories/oracles.ts';
import { announcementIn, attestationIn, UnreadableAnswer } from './parse-response.ts';

/** Why a server gave no answer, under any of its paths. */
export type QueryFailure = FetchFailure | 'unreadable';

/** failure: null where it answered, be it that there is none. */
interface Answer<T> {
  readonly found: T | null;
  readonly failure: QueryFailure | null;
}

/** Outages that are remembered: of the oracles that failed last. */
const MAX_OUTAGES = 1_000;

/** Asks oracles under their URLs. What they answer is not verified here. Never throws for what the other side does: it is logged. */
export function createOracleQueries(deps: { fetching: Fetching; log: Logger; clock: () => number }) {
  const { fetching, log, clock } = deps;
  const outages = new Map<string, Outage>();

  function failed(oracleId: OracleId, error: unknown): void {
    const outage =
      outages.get(oracleId) ??
      createOutage({
        ...{ part: `oracle ${oracleId}`, log, clock },
        began: 'an oracle is asked in vain',
        ended: 'an oracle answers again',
      });
    outages.delete(oracleId);
    outages.set(oracleId, outage);
    for (const oldest of outages.keys()) if (outages.size > MAX_OUTAGES) outages.delete(oldest);
    outage.began(error);
  }

  function answers(oracleId: OracleId): void {
    outages.get(oracleId)?.ended();
    outages.delete(oracleId);
  }

  /** The first answer of these paths that holds something. */
  async function ask<T>(
    { accountId, oracleId, url }: OracleRecord,
    paths: readonly string[],
    read: (fetched: Fetched) => T | null,
    signal?: AbortSignal,
  ): Promise<Answer<T>> {
    let failure: QueryFailure | null = null;
    let answered = false;
    for (const path of paths) {
      try {
        const fetched = await fetching.get(`${url}/${path}`, signal, accountId);
        const found = fetched && read(fetched);
        answers(oracleId);
        if (found !== null) return { found, failure: null };
        answered = true;
      } catch (error) {
        if (!(error instanceof FetchFailed || error instanceof UnreadableAnswer)) throw error;
        failed(oracleId, error);
        failure = error instanceof FetchFailed ? error.failure : 'unreadable';
        // A server that cannot be reached has no other path either.
        if (error instanceof FetchFailed && !ANSWERED.has(error.failure)) return { found: null, failure };
      }
    }
    return { found: null, failure: answered ? null : failure };
  }

  return {
    /**
     * Of an event by its id, or by the digest under which an oracle explorer keeps it. null where there is none, or another event's or
     * oracle's is answered.
     */
    announcement: async (oracle: OracleRecord, eventId: string, signal?: AbortSignal) => {
      const named = isDigest(eventId) ? [`announcements/${eventId.toLowerCase()}`] : [];
      const { found } = await ask(oracle, [...byName('announcement', eventId), ...named], announcementIn, signal);
      if (found === null) return null;
      const { announcement, bytes } = found;
      const itself = announcement.event.eventId === eventId || digestOf(bytes) === eventId.toLowerCase();
      return itself && hex(announcement.publicKey) === oracle.publicKey ? found : null;
    },
    attestation: (oracle: OracleRecord, { eventId, announcement }: OracleEventRecord, signal?: AbortSignal) => {
      const digest = digestOf(Buffer.from(announcement ?? '', 'hex'));
      return ask(oracle, [...byName('attestation', eventId), `announcements/${digest}`], attestationIn, signal);
    },
  };
}

export type OracleQueries = ReturnType<typeof createOracleQueries>;

/** Failures of an answer, not of the server: it may keep things under another path. */
const ANSWERED = new Set(['status', 'content_type', 'redirected', 'url_refused']);

/** kormir's path, and ours. A name that is a step in a path leads elsewhere. */
const byName = (what: string, eventId: string): string[] =>
  /^\.{0,2}$/.test(eventId) ? [] : [`${what}/${encodeURIComponent(eventId)}`];

const isDigest = (text: string): boolean => /^[0-9a-fA-F]{64}$/.test(text);
const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
