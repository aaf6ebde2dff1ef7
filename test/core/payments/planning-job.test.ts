import { expect, it } from 'vitest';
import type { CandidateCoin } from '../../../src/core/coin-selection/candidate.ts';
import { checkRecipients } from '../../../src/core/payments/payees.ts';
import { isLongPlan } from '../../../src/core/payments/planning-job.ts';
import { coin } from '../coin-selection/coins.ts';
import { scriptOf } from '../transactions/keys.ts';

const payees = checkRecipients([{ scriptPubKey: scriptOf('p2wpkh', false, 1), amountSats: 100_000n }], undefined);
const change = { scriptType: 'p2wpkh', scriptPubKey: scriptOf('p2wpkh', true, 1) } as const;
const isLong = (count: number, fields: Partial<CandidateCoin> = {}, ...others: CandidateCoin[]): boolean =>
  isLongPlan({ payees, change }, [
    ...Array.from({ length: count }, () => ({ ...coin(100_000n), ...fields })),
    ...others,
  ]);

it.each<[string, number, Partial<CandidateCoin>]>([
  ['more than 300 coins', 300, { scriptType: 'p2wpkh' }],
  ['coins of more weight than nodes relay', 99, { scriptType: 'p2wsh', inputWeight: 4_000 }],
])('a search among %s is done beside the thread that answers', (_, most, fields) => {
  expect(isLong(most, fields)).toBe(false);
  expect(isLong(most + 1, fields)).toBe(true);
});

it('so is one with an unconfirmed version 3 coin among more than fit into its child', () => {
  const parent = { ...coin(100_000n), confirmations: 0, txVersion: 3 };
  expect(isLong(12, { scriptType: 'p2wpkh' }, parent)).toBe(false);
  expect(isLong(14, { scriptType: 'p2wpkh' }, parent)).toBe(true);
  expect(isLong(14, { scriptType: 'p2wpkh' }, { ...parent, confirmations: 1 })).toBe(false);
});

it('nothing is searched among no coins', () => {
  const many = checkRecipients(
    Array.from({ length: 4_000 }, () => ({ scriptPubKey: change.scriptPubKey, amountSats: 1_000n })),
    undefined,
  );
  expect(isLongPlan({ payees: many, change }, [])).toBe(false);
});
