/** Tests a connection before it is stored: delivers a test event and reports each step. */
import { createHash } from 'node:crypto';
import { DomainError, type TriedStep } from '../../core/errors.ts';
import type { AccountId } from '../../core/ids.ts';
import { SEND_STEPS, SendFailed, type SendStep } from '../../engines/sending/sending.ts';
import { createFairQueue } from '../../scheduling/fair-queue.ts';
import { type ConnectionSecrets, type ConnectionSettings, hostOf } from './connection-settings.ts';
import { type createSendEvents, testEvent } from './send-events.ts';
import type { Archive } from './write-segment.ts';

/** The longest that a test takes; a request waits for it. */
const TRY_MS = 10_000;
const AT_ONCE = { all: 16, ofAccount: 2, ofHost: 4 };

export interface Tried {
  readonly connectionId: string;
  readonly accountId: AccountId;
  readonly settings: ConnectionSettings;
  readonly secrets: ConnectionSecrets;
}

export interface TryOutcome {
  readonly steps: readonly TriedStep[];
  /** Until when the archive's store has locked the test object. */
  readonly lockedUntil: number | null;
}

/** Throws `connection_failed` with the steps; `unavailable` if the account tests too many at once. */
export function createTryConnection(deps: {
  sendEvents: ReturnType<typeof createSendEvents>;
  archive: Archive;
  clock: () => number;
}) {
  const { sendEvents, archive, clock } = deps;
  const queue = createFairQueue({
    ...AT_ONCE,
    waiting: 0,
    busy: () =>
      new DomainError('unavailable', 'too many connections are being tested at once', { retryAfterSeconds: 5 }),
  });

  async function deliver(tried: Tried, options: { signal: AbortSignal; passed(step: SendStep, detail: string): void }) {
    const { connectionId, settings, secrets } = tried;
    const event = testEvent(connectionId, clock());
    if (settings.transport !== 's3') {
      await sendEvents({ connectionId, events: [event], settings, secrets }, options);
      if (settings.transport === 'syslog') options.passed('authenticate', 'the handshake was taken');
      options.passed('deliver', `test event ${event.recordId}`);
      return null;
    }
    const body = Buffer.from(`${event.entry}\n`);
    const key = `${settings.prefix}ashlar-connection-test.json`;
    const sha256 = createHash('sha256').update(body).digest();
    const lockedUntil = await archive.put(
      { settings, secrets },
      { key, body, sha256, type: 'application/json' },
      options,
    );
    options.passed('deliver', `object ${key}`);
    if (lockedUntil !== null) options.passed('object_lock', `until ${new Date(lockedUntil).toISOString()}`);
    else if (settings.retentionDays !== null) throw new SendFailed('object_lock', NO_LOCK);
    return lockedUntil;
  }

  return (tried: Tried, signal: AbortSignal): Promise<TryOutcome> =>
    queue.take({ accountId: tried.accountId, host: hostOf(tried.settings), signal }, async () => {
      const bounded = AbortSignal.any([signal, AbortSignal.timeout(TRY_MS)]);
      const told = new Map<SendStep, string>();
      const passed = (step: SendStep, detail: string): void => void told.set(step, detail);
      try {
        const lockedUntil = await deliver(tried, { signal: bounded, passed });
        return { steps: stepsOf(told, null), lockedUntil };
      } catch (error) {
        if (!(error instanceof SendFailed)) throw error;
        const message = `the test of the connection failed at the step ${error.step}: ${error.message}`;
        throw new DomainError('connection_failed', message, { field: 'settings', steps: stepsOf(told, error) });
      }
    });
}

export type TryConnection = ReturnType<typeof createTryConnection>;

const NO_LOCK = 'the store did not lock the object: use a bucket with object lock, or leave retention_days out';

function stepsOf(told: ReadonlyMap<SendStep, string>, failed: SendFailed | null): TriedStep[] {
  return SEND_STEPS.map((step): TriedStep => {
    if (step === failed?.step) return { step, verdict: 'failed', detail: failed.message };
    const detail = told.get(step);
    return detail === undefined ? { step, verdict: 'skipped', detail: '' } : { step, verdict: 'passed', detail };
  });
}
