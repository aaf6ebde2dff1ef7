/** `ashlar governance verify`: exit codes, and what it says. */
import { expect, it } from 'vitest';
import { governance } from '../../src/cli/governance.ts';
import {
  castOf,
  exportOf,
  holderId,
  NOTE_KEY,
  pair,
  requestProof,
  statementOf,
  verifyFile as verify,
} from '../builders/governance-export.ts';

const holder = { id: holderId(1), pair: pair(), address: 'gov1', units: 500_000_000n, delegations: [] };
const choice = { vote: 'for', power: '5' } as const;
const told = {
  ...statementOf([holder]),
  casts: [castOf(1, { holder_id: holder.id, ...choice, proof: requestProof(choice, holder.pair) })],
  end: 'passed' as const,
  tally: { votes_for: '5', votes_against: '0', total_power: '5', voters: 1 },
};

it('answers 0 and what was counted, or 1 and the first thing that is wrong', async () => {
  const good = await verify(exportOf(told), '--key', NOTE_KEY.toString('base64'));
  expect([good.code, good.json]).toMatchObject([0, { verified: true, status: 'passed', votes_for: '5', key: 'given' }]);
  expect((await verify([...exportOf(told), ''], '--key', NOTE_KEY.toString('base64'))).code).toBe(0);
  expect((await verify(exportOf(told))).err).toContain('compare the key with `ashlar audit key`');
  const bad = await verify(exportOf(told, { ...told, casts: [] }));
  expect([bad.code, bad.json]).toMatchObject([1, { verified: false, line: 6, place: 'votes' }]);
  expect(bad.err).toMatch(/^ashlar: line 6, votes: the audit log counts 1 votes and the file has 0/);
  await expect(governance({} as never, ['verify', '/none.ndjson'], {} as never)).rejects.toThrow(/there is no file/);
  await expect(governance({} as never, ['verify'], {} as never)).rejects.toThrow(/usage|FILE/);
});
