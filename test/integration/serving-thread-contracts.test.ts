/**
 * No request about contracts and oracles holds the serving thread longer than 20 ms of CPU, as serving-thread.test.ts asks of the others:
 * offers of as many outcomes, events and oracles as are taken, and more; what oracles say in 63 digits; contracts of that size, read.
 */
import { afterAll, expect, it } from 'vitest';
import type { AnyOperation } from '../../src/hooks/operation.ts';
import { type BuiltRequest, injectRequest, wireRequest } from '../builders/operation-calls.ts';
import { openOperationWorld } from '../builders/operation-world.ts';
import { leastHeld, measured } from '../builders/worst/thread-cpu.ts';
import { WORST_CONTRACT_BODIES, WORST_CONTRACT_REQUESTS } from '../builders/worst/worst-contracts.ts';

const world = await openOperationWorld();
afterAll(() => world.close());

const MEASURED = world.operations.filter(
  ({ path }) => path.startsWith('/api/v1/dlc') || path.startsWith('/api/v1/contracts'),
);

function stretchOf(built: BuiltRequest) {
  const send = () => {
    const wire = wireRequest(built, built.caller ?? world.callers.admin, world.now());
    return measured(() => injectRequest(world.service, wire));
  };
  return leastHeld(send, ({ statusCode }) => statusCode);
}

async function requestsTo(operation: AnyOperation): Promise<Record<string, BuiltRequest>> {
  const { id } = operation;
  const plain = await world.fresh(operation);
  const bodies = Object.entries((await WORST_CONTRACT_BODIES[id]?.(world)) ?? {});
  const asked = Object.entries((await WORST_CONTRACT_REQUESTS[id]?.(world)) ?? {});
  return {
    example: plain,
    ...Object.fromEntries(bodies.map(([name, body]) => [name, { ...plain, body: Buffer.from(JSON.stringify(body)) }])),
    ...Object.fromEntries(asked.map(([name, given]) => [name, world.built(operation, given)])),
  };
}

it.each(MEASURED)('the serving thread is held by $id for 20 ms at the most', async (operation) => {
  for (const [name, built] of Object.entries(await requestsTo(operation))) {
    const { ratio, said } = await stretchOf(built);
    expect(ratio, `${name}: ${said}`).toBeLessThanOrEqual(1);
  }
});
