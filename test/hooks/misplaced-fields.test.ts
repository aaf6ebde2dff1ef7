import { expect, it } from 'vitest';
import { z } from 'zod';
import { parsePart } from '../../src/hooks/input/validation.ts';
import { leastRatio } from '../builders/worst/thread-cpu.ts';

const parts = {
  query: z.strictObject({ dry_run: z.string().optional() }),
  body: z.strictObject({ fee_rate: z.string(), backup_passphrase: z.string().optional() }),
};

it.each([
  [
    'body',
    { fee_rate: '1', dry_run: true },
    'dry_run is not a known field: did you mean dry_run in the query, ?dry_run=…?',
  ],
  ['query', { dryrun: 'true' }, 'query.dryrun is not a known field: did you mean dry_run?'],
  ['query', { feeRate: '1' }, 'query.feeRate is not a known field: did you mean fee_rate in the body?'],
  ['body', { fee_rate: '1', password: 'x' }, 'password is not a known field: did you mean backup_passphrase?'],
  ['body', { fee_rate: '1', colour: 1 }, 'colour is not a known field'],
] as const)('a field of the %s that is not its own is told where it belongs (%j)', (part, value, message) => {
  expect(() => parsePart(parts[part], part, value, parts)).toThrow(expect.objectContaining({ message }));
});

it('suggests names only for the problems that are reported', async () => {
  const names = Array.from({ length: 12 }, (_, at) => [`name_of_field_${at}`, z.string().optional()]);
  const schema = z.strictObject({ list: z.array(z.strictObject(Object.fromEntries(names))).max(100) });
  const unknown = Object.fromEntries(Array.from({ length: 480 }, (_, at) => [`nmae_fo_fleid_${at}`, 0]));
  const list = Array.from({ length: 100 }, () => unknown);
  const parse = () => expect(() => parsePart(schema, 'body', { list })).toThrow('is not a known field');
  expect(await leastRatio(parse, 1)).toBeLessThanOrEqual(1);
});
