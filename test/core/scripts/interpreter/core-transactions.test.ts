/** Bitcoin Core's tables of transactions, judged as its transaction_tests.cpp judges them. */
import { expect, it } from 'vitest';
import { checkTransaction } from '../../../../src/chain/simulated/consensus.ts';
import { type ParsedTransaction, parseTransaction } from '../../../../src/core/blocks/transaction.ts';
import { type ScriptFlag, STANDARD_FLAGS } from '../../../../src/core/scripts/interpreter/script-flags.ts';
import { spendVerifier } from '../../../../src/core/scripts/interpreter/verify-spend.ts';
import { bytes, vectorRows } from '../../../vectors/rows.ts';

const ALL: readonly ScriptFlag[] = [...STANDARD_FLAGS, 'SIGPUSHONLY'];
const NEEDS: readonly (readonly [ScriptFlag, ScriptFlag])[] = [
  ['CLEANSTACK', 'WITNESS'],
  ['WITNESS', 'P2SH'],
];

/** Without flags that need one that is not there; NEEDS from the one that needs most. */
function trimmed(flags: readonly ScriptFlag[]): Set<ScriptFlag> {
  const set = new Set(flags);
  for (const [flag, needed] of NEEDS.toReversed()) if (!set.has(needed)) set.delete(flag);
  return set;
}
/** With what those that are there need. */
function filled(flags: readonly ScriptFlag[]): Set<ScriptFlag> {
  const set = new Set(flags);
  for (const [flag, needed] of NEEDS) if (set.has(flag)) set.add(needed);
  return set;
}

interface Row {
  readonly raw: string;
  readonly flags: readonly ScriptFlag[];
  readonly transaction: () => ParsedTransaction;
  readonly isValid: (flags: Set<ScriptFlag>) => boolean;
}

const rowsOf = (wanted: 'valid' | 'invalid'): Row[] =>
  vectorRows('core-transactions')
    .filter(([verdict]) => verdict === wanted)
    .map(([, flags = '', raw = '', ...outputs]) => {
      const transaction = () => parseTransaction(bytes(raw));
      const spent = new Map(
        outputs.map((output) => {
          const [txid, vout, scriptPubKey = '', amount = ''] = output.split(':');
          return [`${txid}:${vout}`, { scriptPubKey, amountSats: BigInt(amount) }];
        }),
      );
      return {
        ...{ raw, transaction },
        flags: flags.split(',').filter((flag) => flag !== '') as ScriptFlag[],
        isValid: (set) => {
          const tx = transaction();
          const of = tx.inputs.map(({ prev }) => spent.get(`${prev.txid}:${prev.vout}`)!);
          const verify = spendVerifier(tx, of, set);
          return tx.inputs.every((_, index) => verify(index).valid);
        },
      };
    });

const isSound = ({ transaction }: Row): boolean => {
  try {
    checkTransaction(transaction());
    return true;
  } catch {
    return false;
  }
};
const others = (flags: readonly ScriptFlag[]) => ALL.filter((flag) => !flags.includes(flag));
const without = (flags: readonly ScriptFlag[], one: ScriptFlag) => flags.filter((flag) => flag !== one);
const wrong = (rows: readonly Row[], isRight: (row: Row) => boolean) =>
  rows.filter((row) => !isRight(row)).map(({ raw, flags }) => `${flags} ${raw}`);

it('those that are valid are so under all flags but those named, and under fewer; not once one of these is set', () => {
  const rows = rowsOf('valid');
  expect(rows).toHaveLength(121);
  expect(wrong(rows, isSound)).toEqual([]);
  expect(wrong(rows, ({ flags, isValid }) => isValid(new Set(others(flags))))).toEqual([]);
  const under = ({ flags, isValid }: Row) => ALL.every((one) => isValid(trimmed(without(others(flags), one))));
  expect(wrong(rows, under)).toEqual([]);
  const maximal = ({ flags, isValid }: Row) =>
    flags.every((one) => {
      const fewer = trimmed(without(flags, one));
      return !isValid(new Set(others([...fewer])));
    });
  expect(wrong(rows, maximal)).toEqual([]);
});

it('those that are invalid are so under the flags named, and under more; or by themselves', () => {
  const rows = rowsOf('invalid');
  expect(rows).toHaveLength(93);
  const bad = rows.filter(({ flags }) => flags.join() === 'BADTX');
  expect(bad.length).toBeGreaterThan(5);
  expect(bad.filter(isSound)).toEqual([]);
  const judged = rows.filter((row) => !bad.includes(row));
  expect(wrong(judged, isSound)).toEqual([]);
  expect(wrong(judged, ({ flags, isValid }) => !isValid(new Set(flags)))).toEqual([]);
  const under = ({ flags, isValid }: Row) => ALL.every((one) => !isValid(filled([...flags, one])));
  expect(wrong(judged, under)).toEqual([]);
});
