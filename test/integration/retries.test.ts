/**
 * Every operation that takes an Idempotency-Key: fifty identical requests at once have one effect and one answer, whether the key is the
 * header or the signature's nonce; another request under the key is refused; what became of the key can be asked.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { AnyOperation } from '../../src/hooks/operation.ts';
import type { RequestContext } from '../../src/services/requests/request-context.ts';
import type { TestAnswer } from '../builders/app.ts';
import { databaseState, growth } from '../builders/database-state.ts';
import {
  type BuiltRequest,
  sendRequest,
  type TestCaller,
  type WireRequest,
  wireRequest,
} from '../builders/operation-calls.ts';
import { openOperationWorld } from '../builders/operation-world.ts';

const AT_ONCE = 50;
/** What takes a nonce is what takes a key: a few show that it is asked. */
const OF_A_NONCE = 10;

const world = await openOperationWorld();
const database = databaseState(world.service.dataDir);
afterAll(async () => {
  database.close();
  await world.close();
});
const operations = world.operations.filter(({ idempotent }) => idempotent);
const whoMay = ({ operation: { access }, caller }: BuiltRequest): TestCaller =>
  caller ?? (access !== 'public' && access.platform ? world.callers.platform : world.callers.admin);

/** Operations that end without recordRequest in their own job, and why. */
const RECORDED_BEHIND: Readonly<Record<string, string>> = {};
const unrecorded = new Set<string>();
for (const operation of operations) {
  const { run } = operation;
  Object.assign(operation, {
    run: async (input: Parameters<typeof run>[0], context: RequestContext) => {
      const result = await run.call(operation, input, context);
      if (!context.outcome.recorded) unrecorded.add(operation.id);
      return result;
    },
  });
}

/** Sends until it is answered otherwise than by "still running". */
async function untilAnswered(request: WireRequest): Promise<TestAnswer> {
  for (;;) {
    const answer = await sendRequest(world.service, request);
    if (answer.body?.error?.details.code !== 'idempotency_in_flight') return answer;
    expect([answer.status, answer.headers['retry-after']]).toEqual([409, '1']);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** By how many rows the request made the tables grow, and its answers. */
async function effectOf(operation: AnyOperation, times: number, key: string | null) {
  const built = await world.fresh(operation);
  const headers = key === null ? {} : { 'idempotency-key': key };
  const request = wireRequest(built, whoMay(built), world.now(), { headers });
  await world.quiet();
  const before = database.counts();
  const done = database.recorded(operation.id, 'done');
  const answers = await Promise.all(Array.from({ length: times }, () => untilAnswered(request)));
  await built.after();
  await world.quiet();
  expect(database.recorded(operation.id, 'done') - done, `${operation.id}: audit records`).toBe(1);
  return { built, request, answers, grown: growth(before, database.counts()) };
}

const asked = new Set<string>();

describe.each(operations.map((operation) => [operation.id, operation] as const))('%s', (id, operation) => {
  it('has one effect and one answer for fifty requests at once', async () => {
    const key = randomUUID();
    const once = await effectOf(operation, 1, randomUUID());
    expect(once.answers[0]?.status, once.answers[0]?.text).toBe(operation.success.status);
    const fifty = await effectOf(operation, AT_ONCE, key);
    const [first] = fifty.answers;
    for (const answer of fifty.answers) {
      expect([answer.status, answer.text], id).toEqual([operation.success.status, first?.text]);
      expect(answer.headers['cache-control'], id).toBe('no-store');
    }
    expect(fifty.answers.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1);
    expect(fifty.grown, id).toEqual(once.grown);

    const another = {
      ...fifty.built,
      body: fifty.built.body === null ? Buffer.from('{}') : Buffer.concat([fifty.built.body, Buffer.from(' ')]),
      headers: { 'content-type': 'application/json', ...fifty.built.headers },
    };
    const refused = await sendRequest(
      world.service,
      wireRequest(another, whoMay(fifty.built), world.now(), { headers: { 'idempotency-key': key } }),
    );
    expect([refused.status, refused.body?.error?.details.code], refused.text).toEqual([422, 'idempotency_mismatch']);

    const state = await world.askAs(whoMay(fifty.built), `/api/v1/idempotency/${key}`);
    expect(state.body, state.text).toMatchObject({
      key,
      state: 'completed',
      operation: id,
      status: operation.success.status,
    });
    asked.add(id);
  });

  it("has one effect and one answer where the signature's nonce is the key", async () => {
    const once = await effectOf(operation, 1, null);
    const few = await effectOf(operation, OF_A_NONCE, null);
    expect(new Set(few.answers.map(({ status, text }) => `${status} ${text}`)), id).toHaveLength(1);
    expect(few.answers[0]?.status, few.answers[0]?.text).toBe(operation.success.status);
    expect(few.grown, id).toEqual(once.grown);
  });
});

describe('operations that take an Idempotency-Key', () => {
  it('were all asked', () => {
    expect(operations.length).toBeGreaterThan(15);
    expect([...asked].sort()).toEqual(operations.map(({ id }) => id).sort());
  });

  it('record their effect in its own job, but for those known', () => {
    expect([...unrecorded].sort()).toEqual(Object.keys(RECORDED_BEHIND).sort());
  });
});
