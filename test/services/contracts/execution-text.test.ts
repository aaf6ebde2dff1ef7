/** The text of a settlement that waits is made in slices, and has a bound that is looked at first. */
import { expect, it, onTestFinished, vi } from 'vitest';
import type { LoadedContract } from '../../../src/services/contracts/load-contract.ts';
import { createExecutionText } from '../../../src/services/contracts/settlement/execution-text.ts';
import { contractRecord } from '../../builders/contract-records.ts';
import { foreignOracle } from '../../builders/foreign-oracle.ts';

const outcomes = Array.from({ length: 600 }, (_, n) => `${n}`.padEnd(140, 'x'));
const announced = Array.from({ length: 4 }, () => {
  const { announcement } = foreignOracle().announce({ kind: 'enum', outcomes });
  return Buffer.from(announcement).toString('hex');
});
const own = announced.map((_, n) => ({ oracleId: `ora_${n}` as const, eventId: `${n}` }));

function textOf(count: number) {
  let attested = 0;
  const make = createExecutionText({
    network: 'regtest',
    oracles: { attestationsOf: async () => [] },
    store: {
      read: {
        oracleEvents: { find: async (_: unknown, __: unknown, id: string) => ({ announcement: announced[+id] }) },
      },
    } as never,
    settling: {
      async cetDeciding(_loaded, said) {
        attested = said.length;
        return null;
      },
    },
  });
  const loaded = { record: contractRecord('ctr_one', {}) } as LoadedContract;
  return { attested: () => attested, made: make(loaded, outcomes[1]!, own.slice(0, count)) };
}

it('others have their turn between the attestations', async () => {
  // Each step takes long, however fast the machine is.
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 10));
  onTestFinished(() => clock.mockRestore());
  let turns = 0;
  const count = (): void => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const { made, attested } = textOf(3);
  await made;
  clearImmediate(next);
  expect(attested()).toBe(3);
  expect(turns).toBeGreaterThanOrEqual(2);
});

it('announcements that are too long together are refused before any is read', async () => {
  const { made, attested } = textOf(4);
  await expect(made).rejects.toMatchObject({ code: 'too_large', details: { field: 'outcome' } });
  expect(attested()).toBe(0);
});
