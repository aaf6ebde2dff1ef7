import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/core/errors.ts';
import { parseLots } from '../../../src/core/tax-lots/lot-list.ts';
import { moneyText, parsePrices, worth } from '../../../src/core/tax-lots/price-list.ts';
import { createTaxLots, type DisposedPart, METHODS, type Method } from '../../../src/core/tax-lots/tax-lots.ts';

const DAY = 86_400_000;
function made<Made>(steps: Generator<undefined, Made>): Made {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
const parsed = (csv: string) => made(parsePrices(csv));

describe('prices', () => {
  it('are the latest of the 24 hours up to then, exact, in the most decimals of the file', () => {
    const list = parsed('date,EUR\r\n2026-01-01,100.5\n2026-01-02T12:00:00Z,200\n2026-01-05,0.125\n');
    expect([list.currency, list.decimals]).toEqual(['EUR', 3]);
    const at = (time: string) => {
      const index = list.indexAt(Date.parse(time));
      return index < 0 ? null : list.price(index);
    };
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

const ofDays = (byDay: (bigint | null)[]) => ({
  indexAt: (at: number) => ((byDay[at / DAY] ?? null) === null ? -1 : at / DAY),
  price: (day: number) => byDay[day] as bigint,
});
const id = (n: number) => `${n}`.padStart(64, '0');

function run(method: Method, steps: Steps, byDay: (bigint | null)[]) {
  const lots = createTaxLots({ method, prices: ofDays(byDay) });
  const [parts, acquired] = [[] as DisposedPart[][], [] as { txid: string; sats: bigint; day: number }[]];
  let [day, disposed] = [0, 0n];
  for (const [n, { sats, buys, fee, days }] of steps.entries()) {
    day += days;
    if (buys) {
      acquired.push({ txid: id(n), sats, day });
      lots.acquire({ txid: id(n), at: day * DAY, sats });
      continue;
    }
    const made = [...lots.dispose({ txid: id(n), at: day * DAY, sats: sats + fee, forSats: sats })];
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
        if (buys) lots.push({ txid: id(n), left: sats, price: byDay[day] ?? null });
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

describe('specific identification', () => {
  const [A, B, C, D] = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(64)) as [string, string, string, string];
  const BTC = 100_000_000n;
  const HEADER = 'txid,acquired_txid,amount\n';
  /** A and B come in, C disposes of 1.5 BTC, D of 0.5. */
  function dispose(csv: string, method: Method | null) {
    const lots = createTaxLots({
      method,
      identified: made(parseLots(`${HEADER}${csv}`)),
      prices: ofDays([100n, 100n]),
    });
    for (const txid of [A, B]) lots.acquire({ txid, at: 0, sats: BTC });
    const parts = [C, D].flatMap((txid, n) => {
      const sats = n === 0 ? (3n * BTC) / 2n : BTC / 2n;
      return [...lots.dispose({ txid, at: DAY, sats, forSats: sats })];
    });
    return [...parts, ...lots.rest()].map(({ lot, sats, isNamed }) => [lot?.txid[0], Number(sats) / 1e8, isNamed]);
  }

  it('takes the lots that lines name, in their order, and for the rest those of the method', () => {
    expect(dispose(`${C},${B},1\n${C},${A},0.5\n${D},${A},0.5\n`, null)).toEqual([
      ...[
        ['b', 1, true],
        ['a', 0.5, true],
        ['a', 0.5, true],
      ],
    ]);
    expect(dispose(`${C.toUpperCase()},${B},0.75\r\n`, 'fifo')).toEqual([
      ...[
        ['b', 0.75, true],
        ['a', 0.75, false],
        ['a', 0.25, false],
        ['b', 0.25, false],
      ],
    ]);
    expect(dispose(`${D},${A},0.5`, 'lifo')).toEqual([
      ['b', 1, false],
      ['a', 0.5, false],
      ['a', 0.5, true],
    ]);
  });

  it.each([
    [`${C},${A}`, 'line 2 '],
    [`${C},${A},0`, 'line 2 '],
    [`${C},${A},150000`.replace('150000', '1sat'), 'line 2 '],
    [`${C},${A},0.5\n\n${C},${B},0.5`, 'line 3 '],
    [`${C},${A},0.5\n${C},${A},0.5`, 'the txids of line 2'],
    ['', 'line 2 of the lots is missing'],
    [`${C},${D},1`, 'line 2 of the lots names a lot that was not acquired before'],
    [`${C},${A},1.00000001`, 'BTC of a lot of which 1.00000000 BTC are left'],
    [`${D},${A},0.5`, 'line 2 of the lots takes 0.50000000 BTC of a lot of which 0.00000000 BTC are left'],
    [`${C},${A},1\n${C},${B},0.6`, 'line 3 of the lots takes 0.60000000 BTC, of which 0.50000000 BTC remain'],
    [`${B},${A},1`, 'line 2 of the lots names a transaction that disposes of nothing'],
  ])('of %j is refused: %s', (csv, problem) => {
    expect(() => dispose(csv, 'fifo')).toThrow(problem);
  });

  it('names all that is disposed of, where nothing is said of the rest; prices and header are lines of the file', () => {
    expect(() => dispose(`${C},${A},1`, null)).toThrow(`name none for 0.50000000 of 1.50000000 BTC that ${C}`);
    expect(() => made(parseLots('txid,lot,amount\n'))).toThrow('line 1 ');
  });
});
