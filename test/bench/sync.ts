/**
 * A device that syncs 10 changes: in a database of 1,000,000 events of its account against one of 1,000, CPU time in alternating requests.
 * Run: node test/bench/sync.ts
 */
import { startTestApp, type TestApp } from '../builders/app.ts';

const SIZES = { small: 1_000, large: 1_000_000 };
const PER_JOB = 2_000;
const CHANGES = 10;
const ROUNDS = 300;
const WARM_UP = 50;
const SYNC = '/api/v1/mobile/sync';

async function withEvents(count: number): Promise<{ app: TestApp; since: string }> {
  const app = await startTestApp();
  const event = (target: string) => ({
    ...{ accountId: app.accountId, channel: 'security' as const, ref: target },
    data: {
      notice: 'key_created',
      operation: 'api-key.create',
      target,
      credential: { kind: 'api_key', id: 'key_one' },
    },
  });
  const tell = (from: number, to: number) =>
    app.app.store.write((tx) =>
      tx.events.appendMany(Array.from({ length: to - from }, (_, at) => event(`key ${from + at}`))),
    );
  for (let from = 0; from < count - CHANGES; from += PER_JOB)
    await tell(from, Math.min(from + PER_JOB, count - CHANGES));
  const { next: registered } = await synced(app, undefined);
  const { next: since } = await synced(app, registered);
  await tell(count - CHANGES, count);
  return { app, since };
}

async function synced(app: TestApp, since: string | undefined): Promise<{ next: string; changes: readonly unknown[] }> {
  const { status, body, text } = await app.post(SYNC, { device_id: 'phone', since }, { sign: false });
  if (status !== 200) throw new Error(text);
  return body;
}

const sides = { small: await withEvents(SIZES.small), large: await withEvents(SIZES.large) };
const times: Record<keyof typeof sides, number[]> = { small: [], large: [] };
for (let round = 0; round < WARM_UP + ROUNDS; round++) {
  for (const side of round % 2 === 0 ? (['small', 'large'] as const) : (['large', 'small'] as const)) {
    const { app, since } = sides[side];
    const before = process.cpuUsage();
    const { changes } = await synced(app, since);
    const { user, system } = process.cpuUsage(before);
    // Beside them a checkpoint of the audit log may come.
    if (changes.length < CHANGES || changes.length > CHANGES + 1) throw new Error(`${changes.length} changes`);
    if (round >= WARM_UP) times[side].push(user + system);
  }
}
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] as number;
const [small, large] = [median(times.small), median(times.large)];
console.log(
  `of ${SIZES.small} events: ${small} µs of CPU; of ${SIZES.large}: ${large} µs; ${(large / small).toFixed(2)}x (at most 1.2x)`,
);
for (const { app } of Object.values(sides)) await app.close();
