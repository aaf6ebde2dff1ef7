/** `ashlar governance verify`: exit codes, and what it says. */
import { expect, it } from 'vitest';
import { governance } from '../../src/cli/governance.ts';
import { printable } from '../../src/cli/terminal.ts';
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
  const withdrawn = castOf(2, { holder_id: holder.id, vote: 'for', power: '0', revision: 2, proof: { kind: 'none' } });
  const tally = { votes_for: '0', votes_against: '0', total_power: '5', voters: 0 };
  const without = await verify(exportOf({ ...told, casts: [...told.casts, withdrawn], end: 'rejected', tally }));
  expect([without.code, without.json.votes_unsigned]).toEqual([0, 1]);
  expect(without.err).toContain('cast or withdrew 1 votes without a signature');
  const deep = `{"type":"proposal","format":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
  expect((await verify([deep])).json).toMatchObject({ verified: false, line: 1 });
  expect(printable('a\u001b[2J\u009b\u202e\n')).toBe('a\\u001b[2J\\u009b\\u202e\n');
  await expect(governance({} as never, ['verify', '/none.ndjson'], {} as never)).rejects.toThrow(/there is no file/);
  await expect(governance({} as never, ['verify'], {} as never)).rejects.toThrow(/usage|FILE/);
});
