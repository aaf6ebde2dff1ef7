/** `ashlar governance verify`: exit codes, and what it says. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { governance } from '../../src/cli/governance.ts';
import {
  castOf,
  exportOf,
  holderId,
  NOTE_KEY,
  pair,
  requestProof,
  statementOf,
} from '../builders/governance-export.ts';

const folder = mkdtempSync(join(tmpdir(), 'ashlar-recount-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const holder = { id: holderId(1), pair: pair(), address: 'gov1', units: 500_000_000n, delegations: [] };
const choice = { vote: 'for', power: '5' } as const;
const told = {
  ...statementOf([holder]),
  casts: [castOf(1, { holder_id: holder.id, ...choice, proof: requestProof(choice, holder.pair) })],
  end: 'passed' as const,
  tally: { votes_for: '5', votes_against: '0', total_power: '5', voters: 1 },
};

async function verify(lines: readonly string[], ...options: string[]) {
  const file = join(folder, 'export.ndjson');
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  const said: Record<'out' | 'err', string[]> = { out: [], err: [] };
  const code = await governance({} as never, ['verify', file, ...options], {
    out: (text: string) => said.out.push(text),
    err: (text: string) => said.err.push(text),
  } as never);
  return { code, json: JSON.parse(said.out.join('')), err: said.err.join('\n') };
}

it('answers 0 and what was counted, or 1 and the first thing that is wrong', async () => {
  const good = await verify(exportOf(told), '--key', NOTE_KEY.toString('base64'));
  expect([good.code, good.json]).toMatchObject([0, { verified: true, status: 'passed', votes_for: '5', key: 'given' }]);
  expect((await verify([...exportOf(told), ''], '--key', NOTE_KEY.toString('base64'))).code).toBe(0);
  expect((await verify(exportOf(told))).err).toContain('compare the key with `ashlar audit key`');
  const bad = await verify(exportOf(told, { ...told, casts: [] }));
  expect([bad.code, bad.json]).toMatchObject([1, { verified: false, line: 6, place: 'votes' }]);
  expect(bad.err).toMatch(/^ashlar: line 6, votes: the audit log counts 1 votes and the file has 0/);
  await expect(governance({} as never, ['verify', join(folder, 'none')], {} as never)).rejects.toThrow(
    /there is no file/,
  );
  await expect(governance({} as never, ['verify'], {} as never)).rejects.toThrow(/usage|FILE/);
});
