import { hash } from 'node:crypto';
import { hash160, hash256, ripemd160, sha256 } from '../../hashes.ts';
import type { Execution, Operation, OperationTable } from './execution.ts';
import { OP } from './opcodes.ts';
import { fail } from './script-error.ts';
import { encodeNumber } from './script-number.ts';

const TRUE = Uint8Array.of(1);
const FALSE = new Uint8Array(0);
export const truth = (value: boolean): Uint8Array => (value ? TRUE : FALSE);

const hashing =
  (digest: (bytes: Uint8Array) => Uint8Array): Operation =>
  (run) => {
    run.need(1);
    run.push(digest(run.pop()));
  };

const unary =
  (compute: (value: number) => number): Operation =>
  (run) => {
    run.need(1);
    const result = compute(run.number());
    run.pop();
    run.push(encodeNumber(result));
  };

const binary =
  (compute: (a: number, b: number) => number): Operation =>
  (run) => {
    run.push(encodeNumber(combined(run, compute)));
  };

function combined(run: Execution, compute: (a: number, b: number) => number): number {
  run.need(2);
  const result = compute(run.number(2), run.number());
  run.drop(2);
  return result;
}

const equals = (run: Execution): boolean => {
  run.need(2);
  return Buffer.compare(run.pop(), run.pop()) === 0;
};

/** Comparisons, arithmetic and hashes. Comparisons of numbers answer numbers: 1 or nothing. */
export const VALUE_OPERATIONS: OperationTable = {
  [OP.EQUAL](run) {
    run.push(truth(equals(run)));
  },
  [OP.EQUALVERIFY](run) {
    if (!equals(run)) fail('EQUALVERIFY');
  },
  [OP['1ADD']]: unary((value) => value + 1),
  [OP['1SUB']]: unary((value) => value - 1),
  [OP.NEGATE]: unary((value) => -value),
  [OP.ABS]: unary(Math.abs),
  [OP.NOT]: unary((value) => Number(value === 0)),
  [OP['0NOTEQUAL']]: unary((value) => Number(value !== 0)),
  [OP.ADD]: binary((a, b) => a + b),
  [OP.SUB]: binary((a, b) => a - b),
  [OP.BOOLAND]: binary((a, b) => Number(a !== 0 && b !== 0)),
  [OP.BOOLOR]: binary((a, b) => Number(a !== 0 || b !== 0)),
  [OP.NUMEQUAL]: binary((a, b) => Number(a === b)),
  [OP.NUMEQUALVERIFY](run) {
    if (combined(run, (a, b) => Number(a === b)) === 0) fail('NUMEQUALVERIFY');
  },
  [OP.NUMNOTEQUAL]: binary((a, b) => Number(a !== b)),
  [OP.LESSTHAN]: binary((a, b) => Number(a < b)),
  [OP.GREATERTHAN]: binary((a, b) => Number(a > b)),
  [OP.LESSTHANOREQUAL]: binary((a, b) => Number(a <= b)),
  [OP.GREATERTHANOREQUAL]: binary((a, b) => Number(a >= b)),
  [OP.MIN]: binary((a, b) => Math.min(a, b)),
  [OP.MAX]: binary((a, b) => Math.max(a, b)),
  [OP.WITHIN](run) {
    run.need(3);
    const value = run.number(3);
    const least = run.number(2);
    const limit = run.number();
    run.drop(3);
    run.push(truth(least <= value && value < limit));
  },
  [OP.RIPEMD160]: hashing(ripemd160),
  [OP.SHA1]: hashing((bytes) => hash('sha1', bytes, 'buffer')),
  [OP.SHA256]: hashing(sha256),
  [OP.HASH160]: hashing(hash160),
  [OP.HASH256]: hashing(hash256),
};
