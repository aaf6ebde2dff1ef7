/** Answers kept for retries (Idempotency-Key): committed with the effect they tell of, encrypted, replayed for 24 hours. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DomainError } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import type { IdempotencyRecord } from '../../store/records.ts';
import type { Repositories, Store } from '../../store/store.ts';
import type { TextCipher } from '../secrets/text-cipher.ts';
import { nonceReused } from './nonces.ts';
import type { IdempotencyClaim, RequestContext } from './request-context.ts';

const ANSWER_LIFE_MS = 24 * 60 * 60 * 1000;
/** Writing such an answer takes milliseconds, and so does encrypting it: each has a turn of the event loop. */
const LONG = 256 * 1024;

/** Keeps the answer to `result` in the job that makes the effect. Does nothing where the caller sent no key. */
export async function keepAnswer(
  tx: Pick<Repositories, 'idempotency'>,
  context: RequestContext,
  kept: { result: unknown; target: string | null },
): Promise<void> {
  const claim = context.idempotency;
  if (claim === null) return;
  const answer = await claim.answer(kept.result);
  await tx.idempotency.insert({
    accountId: context.accountId,
    key: claim.key,
    fingerprint: claim.fingerprint,
    operation: claim.operation,
    target: kept.target,
    status: answer.status,
    body: answer.body,
    createdAt: claim.at,
    expiresAt: claim.at + ANSWER_LIFE_MS,
  });
}

/** Puts a later answer (after the broadcast, say) in the place of the one kept with the effect. */
export async function updateAnswer(
  tx: Pick<Repositories, 'idempotency'>,
  context: RequestContext,
  result: unknown,
): Promise<void> {
  const claim = context.idempotency;
  if (claim === null) return;
  const answer = await claim.answer(result);
  await tx.idempotency.updateBody(context.accountId, claim.key, answer.status, answer.body);
}

export interface IdempotentRequest {
  accountId: AccountId;
  key: string;
  /** Whether the caller sent the key, or the signature's nonce is it. */
  from: 'header' | 'nonce';
  fingerprint: string;
  operation: string;
  /** Renders a result as the answer's status and JSON text. */
  render(result: unknown): { status: number; body: string };
}

export interface KeptAnswer {
  kind: 'replay';
  status: number;
  body: string;
}

type IdempotencyOutcome =
  | KeptAnswer
  | {
      kind: 'claimed';
      claim: IdempotencyClaim;
      /** What another process has kept for the same request since the key was claimed here: why it is refused here, perhaps. */
      keptMeanwhile: () => Promise<KeptAnswer | null>;
      /** When the request has ended, however it ended. */
      release: () => void;
    };

interface InFlight {
  /** What is kept under the key; those who ask at the same time wait for one look. */
  kept: Promise<IdempotencyRecord | null>;
  fingerprint: string;
  operation: string;
  since: number;
}

export function createIdempotency(deps: { store: Store; cipher: TextCipher; clock: () => number }) {
  const { store, cipher, clock } = deps;
  const inFlight = new Map<string, InFlight>();
  const slot = (accountId: AccountId, key: string) => `${accountId} ${key}`;

  async function begin(request: IdempotentRequest): Promise<IdempotencyOutcome> {
    const { accountId, key, from, fingerprint, operation } = request;
    const mismatch = () => (from === 'nonce' ? nonceReused() : keyReused());
    const place = slot(accountId, key);
    const replayOf = (kept: IdempotencyRecord): KeptAnswer => {
      if (kept.fingerprint !== fingerprint) throw mismatch();
      return { kind: 'replay', status: kept.status, body: cipher.decrypt(kept.body, place) };
    };
    const running = inFlight.get(place);
    if (running !== undefined) {
      if (running.fingerprint !== fingerprint) throw mismatch();
      const kept = await running.kept;
      if (kept !== null) return replayOf(kept);
      throw new DomainError('idempotency_in_flight', 'the first request with this Idempotency-Key is still running', {
        field: 'headers.idempotency-key',
        retryAfterSeconds: 1,
      });
    }
    const at = clock();
    const looked = store.read.idempotency.find(accountId, key, at);
    inFlight.set(place, { kept: looked, fingerprint, operation, since: at });
    const release = () => {
      inFlight.delete(place);
    };
    try {
      const kept = await looked;
      if (kept !== null) {
        release();
        return replayOf(kept);
      }
    } catch (error) {
      release();
      throw error;
    }
    const claim: IdempotencyClaim = {
      key,
      fingerprint,
      operation,
      at,
      async answer(result) {
        const { status, body } = request.render(result);
        if (body.length > LONG) await nextTurn();
        return { status, body: cipher.encrypt(body, place) };
      },
    };
    const keptMeanwhile = async (): Promise<KeptAnswer | null> => {
      const kept = await store.read.idempotency.find(accountId, key, clock());
      return kept?.fingerprint === fingerprint ? replayOf(kept) : null;
    };
    return { kind: 'claimed', claim, keptMeanwhile, release };
  }

  return {
    /**
     * Claims a key for this process, or answers what was kept. Throws `idempotency_mismatch` where the key was used with another
     * request and `idempotency_in_flight` where its first request is still running.
     */
    begin,
    /** What became of a key; throws `not_found` where nothing is known of it. */
    async state(accountId: AccountId, key: string) {
      const running = inFlight.get(slot(accountId, key));
      const kept = await store.read.idempotency.find(accountId, key, clock());
      if (kept !== null) {
        const { operation, status, target, createdAt } = kept;
        return { key, state: 'completed' as const, operation, status, target, createdAt };
      }
      if (running === undefined) {
        throw new DomainError('not_found', 'no answer is kept under this Idempotency-Key');
      }
      const { operation, since } = running;
      return { key, state: 'in_progress' as const, operation, status: null, target: null, createdAt: since };
    },
    /** Forgets answers older than their life; answers how many. */
    sweep: () => store.write((tx) => tx.idempotency.deleteExpired(clock())),
  };
}

export type IdempotencyService = ReturnType<typeof createIdempotency>;

function keyReused(): DomainError {
  return new DomainError('idempotency_mismatch', 'this Idempotency-Key was used with another request: take a new one', {
    field: 'headers.idempotency-key',
  });
}
