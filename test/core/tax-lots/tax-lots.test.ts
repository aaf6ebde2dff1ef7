import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import { moneyText, parsePrices, worth } from '../../../src/core/tax-lots/price-list.ts';
import { createTaxLots, type DisposedPart, METHODS, type Method } from '../../../src/core/tax-lots/tax-lots.ts';

const DAY = 86_400_000;
const parsed = (csv: string) => {
  const steps = parsePrices(csv);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
};

describe('prices', () => {
  it('are the latest of the 24 hours up to then, exact, in the most decimals of the file', () => {
    const list = parsed('date,EUR\r\n2026-01-01,100.5\n2026-01-02T12:00:00Z,200\n2026-01-05,0.125\n');
    expect([list.currency, list.decimals]).toEqual(['EUR', 3]);
    const at = (time: string) => list.priceAt(Date.parse(time));
    expect(at('2025-12-31T23:59:59Z')).toBeNull();
    expect(at('2026-01-01T00:00:00Z')).toBe(100_500n);
    expect(at('2026-01-01T23:59:59Z')).toBe(100_500n);
    expect(at('2026-01-02T00:00:00Z')).toBeNull();
    expect(at('2026-01-03T11:59:59Z')).toBe(200_000n);
    expect(at('2026-01-05T01:00:00Z')).toBe(125n);
    expect([worth(50_000_000n, 101n), moneyText(-1_234n, 2), moneyText(5n, 3)]).toEqual([51n, '-12.34', '0.005']);
  });

  it.each([
    ['', 1],
    ['2026-01-01,1', 1],
    ['date,EUR\n', 2],
    ['date,EUR\n2026-02-30,1', 2],
    ['date,EUR\n2026-01-01,-1', 2],
    ['date,EUR\n2026-01-01,1e3', 2],
    ['date,EUR\n2026-01-01,1,2', 2],
    ['date,EUR\n2026-01-01,1\n2026-01-01,2', 3],
    ['date,EUR\n2026-01-02,1\n\n2026-01-03,2', 3],
  ])('of %j are refused, naming line %i', (csv, line) => {
    expect(() => parsed(csv)).toThrow(DomainError);
    expect(() => parsed(csv)).toThrow(`line ${line} `);
  });
});

const amounts = fc.array(
  fc.record({ sats: fc.bigInt(1n, 10n ** 12n), buys: fc.boolean(), fee: fc.bigInt(0n, 1_000n), days: fc.nat(3) }),
  { maxLength: 40 },
);
const prices = fc.array(fc.option(fc.bigInt(0n, 10n ** 7n)), { minLength: 200, maxLength: 200 });
type Steps = { sats: bigint; buys: boolean; fee: bigint; days: number }[];

function run(method: Method, steps: Steps, byDay: (bigint | null)[]) {
  const lots = createTaxLots(method, (at) => byDay[at / DAY] ?? null);
  const [parts, acquired] = [[] as DisposedPart[][], [] as { txid: string; sats: bigint; day: number }[]];
  let [day, disposed] = [0, 0n];
  for (const [n, { sats, buys, fee, days }] of steps.entries()) {
    day += days;
    if (buys) {
      acquired.push({ txid: `${n}`, sats, day });
      lots.acquire({ txid: `${n}`, at: day * DAY, sats });
      continue;
    }
    const made = [...lots.dispose({ txid: `${n}`, at: day * DAY, sats: sats + fee, forSats: sats })];
    disposed += sats + fee;
    parts.push(made);
    // What a disposal brings is divided among its parts without a remainder.
    expect(made.reduce((sum, part) => sum + part.sats, 0n)).toBe(sats + fee);
    const price = byDay[day] ?? null;
    const proceeds = made.reduce((sum, part) => sum + (part.proceeds ?? 0n), 0n);
    expect(proceeds).toBe(price === null ? 0n : worth(sats, price));
  }
  return { parts, acquired, disposed, rest: [...lots.rest()] };
}

it('what was acquired is disposed of or left, to the satoshi and the last decimal, whatever the method', () => {
  fc.assert(
    fc.property(amounts, prices, (steps, byDay) => {
      const taken = METHODS.map((method) => {
        const { parts, acquired, rest } = run(method, steps, byDay);
        for (const { txid, sats, day } of acquired) {
          const own = [...parts.flat(), ...rest].filter(({ lot }) => lot?.txid === txid);
          expect(own.reduce((sum, part) => sum + part.sats, 0n)).toBe(sats);
          const price = byDay[day] ?? null;
          const cost = own.reduce((sum, part) => sum + (part.cost ?? 0n), 0n);
          expect(cost).toBe(price === null ? 0n : worth(sats, price));
        }
        const none = parts.flat().reduce((sum, { lot, sats }) => sum + (lot === null ? sats : 0n), 0n);
        return [rest.reduce((sum, part) => sum + part.sats, 0n), none];
      });
      expect(taken).toEqual([taken[0], taken[0], taken[0]]);
    }),
    { numRuns: 60 },
  );
});

it('FIFO, LIFO and HIFO take the lots that a plain search finds first', () => {
  const first: Record<Method, (lots: { txid: string; left: bigint; price: bigint | null }[]) => number> = {
    fifo: () => 0,
    lifo: (lots) => lots.length - 1,
    hifo: (lots) => {
      const priceOf = ({ price }: { price: bigint | null }) => price ?? -1n;
      const most = lots.map(priceOf).reduce((one, other) => (other > one ? other : one), -1n);
      return lots.findIndex((lot) => priceOf(lot) === most);
    },
  };
  fc.assert(
    fc.property(amounts, prices, fc.constantFrom(...METHODS), (steps, byDay, method) => {
      const { parts } = run(method, steps, byDay);
      const lots: { txid: string; left: bigint; price: bigint | null }[] = [];
      const wanted: [string | null, bigint][][] = [];
      let day = 0;
      for (const [n, { sats, buys, fee, days }] of steps.entries()) {
        day += days;
        if (buys) lots.push({ txid: `${n}`, left: sats, price: byDay[day] ?? null });
        else {
          const own: [string | null, bigint][] = [];
          for (let rest = sats + fee; rest > 0n; ) {
            const at = first[method](lots);
            const lot = lots[at];
            const taken = lot === undefined || lot.left > rest ? rest : lot.left;
            own.push([lot?.txid ?? null, taken]);
            rest -= taken;
            if (lot !== undefined) lot.left -= taken;
            if (lot?.left === 0n) lots.splice(at, 1);
          }
          wanted.push(own);
        }
      }
      expect(parts.map((own) => own.map(({ lot, sats }) => [lot?.txid ?? null, sats]))).toEqual(wanted);
    }),
    { numRuns: 100 },
  );
});
