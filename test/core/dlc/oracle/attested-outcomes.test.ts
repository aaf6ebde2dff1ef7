import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attestedOutcome, outcomesToAttest } from '../../../../src/core/dlc/oracle/attested-outcomes.ts';
import { announcable } from '../../../../src/core/dlc/oracle/new-event.ts';
import type { EventDescriptor } from '../../../../src/core/dlc/oracle-event.ts';

const digits = (count: number, signed = false, base = 2): EventDescriptor => ({
  kind: 'digits',
  base,
  signed,
  unit: '',
  precision: 0,
  digits: count,
});

describe('what is attested for an outcome (dlcspecs Oracle.md)', () => {
  it('is the text that was announced, in normal form C', () => {
    const event: EventDescriptor = { kind: 'enum', outcomes: ['caf\u00e9', 'th\u00e9'] };
    expect(outcomesToAttest(event, 'cafe\u0301')).toEqual(['caf\u00e9']);
    expect(attestedOutcome(event, ['th\u00e9'])).toBe('th\u00e9');
    for (const wrong of ['cafe', '', 'CAF\u00c9', '\ud800', `e${'\u0301'.repeat(40)}`])
      expect(() => outcomesToAttest(event, wrong)).toThrow('no such outcome');
  });

  it('is of a number its digits, leading zeros with them: the example of 20,000 dollars', () => {
    expect(outcomesToAttest(digits(6, false, 10), '20000')).toEqual(['0', '2', '0', '0', '0', '0']);
    expect(outcomesToAttest(digits(6, false, 10), '1000000')).toEqual(['9', '9', '9', '9', '9', '9']);
    expect(outcomesToAttest(digits(2, false, 16), '255')).toEqual(['15', '15']);
    expect(outcomesToAttest(digits(3), '-0')).toEqual(['0', '0', '0']);
    for (const wrong of ['', '1e3', '0x1', '1.0', '+1', ' 1', '٣', '1'.repeat(31)])
      expect(() => outcomesToAttest(digits(3), wrong)).toThrow('whole number');
  });

  it('is read back as the number, or the nearest in the range', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 63 }),
        fc.boolean(),
        fc.constantFrom(2, 3, 10, 16),
        fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
        (count, signed, base, value) => {
          const event = digits(count, signed, base);
          const attested = outcomesToAttest(event, String(value));
          expect(attested).toHaveLength(count + (signed ? 1 : 0));
          const most = BigInt(base) ** BigInt(count) - 1n;
          const least = signed ? -most : 0n;
          const nearest = value > most ? most : value < least ? least : value;
          expect(attestedOutcome(event, attested)).toBe(String(nearest));
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('what can be announced', () => {
  it('has its texts in normal form C', () => {
    expect(announcable({ kind: 'enum', outcomes: ['cafe\u0301', 'b'] })).toEqual({
      kind: 'enum',
      outcomes: ['caf\u00e9', 'b'],
    });
    expect(announcable({ ...digits(63), unit: 'e\u0301' } as EventDescriptor)).toMatchObject({ unit: '\u00e9' });
  });

  it.each([
    [{ kind: 'enum', outcomes: ['a'] }, 'outcomes'],
    [{ kind: 'enum', outcomes: Array.from({ length: 1_001 }, (_, at) => String(at)) }, 'outcomes'],
    [{ kind: 'enum', outcomes: Array.from({ length: 500 }, (_, at) => `${at}${'x'.repeat(200)}`) }, 'outcomes'],
    [{ kind: 'enum', outcomes: ['a', 'a'] }, 'outcomes[1]'],
    [{ kind: 'enum', outcomes: ['a', ''] }, 'outcomes[1]'],
    [{ kind: 'enum', outcomes: ['a', '\udfff'] }, 'outcomes[1]'],
    [{ kind: 'enum', outcomes: ['a', 'x'.repeat(256)] }, 'outcomes[1]'],
    [digits(0), 'numeric.digits'],
    [digits(64), 'numeric.digits'],
    [digits(4, false, 10), 'numeric.base'],
    [{ ...digits(4), precision: 2 ** 31 }, 'numeric.precision'],
    [{ ...digits(4), unit: 'x'.repeat(101) }, 'numeric.unit'],
  ] as [EventDescriptor, string][])('is refused by name (%#: %j)', (descriptor, field) => {
    expect(() => announcable(descriptor)).toThrow(
      expect.objectContaining({ code: 'invalid_value', details: { field } }),
    );
  });
});
