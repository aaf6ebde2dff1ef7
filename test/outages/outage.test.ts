import { expect, it } from 'vitest';
import { DomainError, StoreUnavailable } from '../../src/core/errors.ts';
import { createOutage, createWorkOutage } from '../../src/outages/outage.ts';

function setUp(make: typeof createOutage, calmMs = 0) {
  const lines: unknown[] = [];
  let now = 0;
  const say = (level: string) => (facts: object, message: string) => lines.push([level, message, facts]);
  const log = { warn: say('warn'), info: say('info') };
  const outage = make({ part: 'node', began: 'it is away', ended: 'it is back', log, clock: () => now, calmMs });
  return { lines, outage, pass: (ms: number) => (now += ms) };
}

it('an outage is told of once when it begins, with its cause, and once when it has ended, with its length', () => {
  const { lines, outage, pass } = setUp(createOutage);
  outage.ended();
  const cause = new DomainError('node_unavailable', 'it does not answer', { reason: 'ECONNREFUSED' });
  for (let tries = 0; tries < 5; tries++, pass(1_000)) outage.began(cause);
  expect(outage.goesOn()).toBe(true);
  outage.ended();
  outage.ended();
  expect(lines).toEqual([
    ['warn', 'it is away', { part: 'node', err: cause, reason: 'ECONNREFUSED' }],
    ['info', 'it is back', { part: 'node', seconds: 5 }],
  ]);
  outage.began(new Error('again'));
  expect(lines).toHaveLength(3);
});

it('what works among what fails does not end it before it is calm', () => {
  const { lines, outage, pass } = setUp(createOutage, 2_000);
  for (let calls = 0; calls < 10; calls++, pass(1_000)) {
    outage.began(new Error('timed out'));
    outage.ended();
  }
  expect(lines).toHaveLength(1);
  pass(1_000);
  outage.ended();
  expect(lines).toHaveLength(2);
});

it('work says nothing of what database and node have told of, and of its own failures once', () => {
  const { lines, outage } = setUp(createWorkOutage);
  outage.began(new StoreUnavailable('away', { cause: new Error('ECONNREFUSED'), retryAfterSeconds: 1 }));
  outage.began(new DomainError('node_syncing', 'in initial download'));
  expect(lines).toEqual([]);
  for (let rounds = 0; rounds < 3; rounds++) outage.began(new Error('a defect'));
  outage.ended();
  expect(lines).toHaveLength(2);
});
