import { expect, it } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import { createForecasts } from '../../../src/services/analytics/kept-forecasts.ts';

const given = (...values: number[]) => ({ values, steps: 1, period: 7, bounds: { min: 0, max: 9 } });
const by = (accountId: AccountId) => ({ accountId });

function counted() {
  let made = 0;
  const run = async () => {
    made++;
    if (made === 1) throw new Error('busy');
    return { model: `${made}` };
  };
  return createForecasts({ run } as never);
}
const modelOf = async (asked: ReturnType<ReturnType<typeof counted>>) => (await asked)?.model;

it('a forecast is made once of a history, for each account, and again when the history is another', async () => {
  const forecast = counted();
  await expect(forecast(given(1, 2), by('acc_a'))).rejects.toThrow('busy');
  const ask = (values: number[], account: AccountId) => modelOf(forecast(given(...values), by(account)));
  expect(await ask([1, 2], 'acc_a')).toBe('2');
  expect(await ask([1, 2], 'acc_a')).toBe('2');
  expect(await ask([1, 3], 'acc_a')).toBe('3');
  expect(await ask([1, 2], 'acc_b')).toBe('4');
  expect(await modelOf(forecast({ ...given(1, 2), steps: 2 }, by('acc_a')))).toBe('5');
  // However many another account asks for.
  for (let n = 0; n < 100; n++) await ask([n], 'acc_b');
  expect(await ask([1, 2], 'acc_a')).toBe('2');
  expect(await ask([1, 2], 'acc_b')).toBe('106');
});
