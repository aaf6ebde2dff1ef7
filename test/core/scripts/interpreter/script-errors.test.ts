import { hash } from 'node:crypto';
import { Transaction } from 'bitcoinjs-lib';
import { describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../../src/core/blocks/transaction.ts';
import { sha256 } from '../../../../src/core/hashes.ts';
import { pushOf } from '../../../../src/core/scripts/interpreter/instructions.ts';
import { OP } from '../../../../src/core/scripts/interpreter/opcodes.ts';
import { reasonOf, type ScriptError } from '../../../../src/core/scripts/interpreter/script-error.ts';
import {
  MANDATORY_FLAGS,
  type ScriptFlag,
  type ScriptFlags,
  STANDARD_FLAGS,
} from '../../../../src/core/scripts/interpreter/script-flags.ts';
import { encodeNumber } from '../../../../src/core/scripts/interpreter/script-number.ts';
import { verifySpend } from '../../../../src/core/scripts/interpreter/verify-spend.ts';
import { tapLeafHash } from '../../../../src/core/taproot/leaf-hash.ts';
import { tweakPublicKey } from '../../../../src/core/taproot/tweak.ts';

const LOCKTIME = 100;
const SEQUENCE = 5;
const INTERNAL = Buffer.from('79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex');
const KEY = Buffer.concat([Uint8Array.of(2), INTERNAL]);
const EMPTY = new Uint8Array(0);

/** Opcodes by name, numbers, and bytes: 'DUP', 17, Uint8Array. Numbers and bytes are pushed in their shortest form. */
type Word = keyof typeof OP | number | Uint8Array;
const asm = (...words: Word[]): Buffer =>
  Buffer.concat(
    words.map((word) => {
      if (typeof word === 'string') return Uint8Array.of(OP[word]);
      if (typeof word !== 'number') return pushOf(word);
      if (word === 0) return Uint8Array.of(0);
      return word >= -1 && word <= 16 ? Uint8Array.of(OP[1] + word - 1) : pushOf(encodeNumber(word));
    }),
  );

interface Spend {
  readonly scriptSig?: Uint8Array;
  readonly witness?: readonly Uint8Array[];
}

function judge(scriptPubKey: Uint8Array, { scriptSig = EMPTY, witness = [] }: Spend, flags: ScriptFlags) {
  const tx = new Transaction();
  tx.version = 2;
  tx.locktime = LOCKTIME;
  tx.addInput(new Uint8Array(32).fill(9), 0, SEQUENCE, scriptSig);
  tx.addOutput(Uint8Array.of(OP[1]), 1_000n);
  tx.setWitness(0, [...witness]);
  const spent = { amountSats: 2_000n, scriptPubKey: Buffer.from(scriptPubKey).toString('hex') };
  const verdict = verifySpend(parseTransaction(tx.toBuffer()), [spent], 0, flags);
  return verdict.valid ? 'OK' : verdict.error;
}

const script = (words: Word[], unlock: Word[] = [], flags = STANDARD_FLAGS) =>
  judge(asm(...words), { scriptSig: asm(...unlock) }, flags);
const segwit = (words: Word[], items: Uint8Array[] = [], flags = STANDARD_FLAGS) => {
  const witnessScript = asm(...words);
  return judge(asm(0, sha256(witnessScript)), { witness: [...items, witnessScript] }, flags);
};
const tapscript = (leaf: Uint8Array, items: Uint8Array[] = [], flags = STANDARD_FLAGS, version = 0xc0) => {
  const { outputKey, parity } = tweakPublicKey(INTERNAL, tapLeafHash(leaf, version));
  const control = Buffer.concat([Uint8Array.of(version | parity), INTERNAL]);
  return judge(asm(1, outputKey), { witness: [...items, leaf, control] }, flags);
};
const without = (...flags: ScriptFlag[]): ScriptFlags =>
  new Set([...STANDARD_FLAGS].filter((flag) => !flags.includes(flag)));
const many = (count: number, ...words: Word[]): Word[] => Array.from({ length: count }, () => words).flat();

describe('operations', () => {
  it.each<[string, Word[], number | Uint8Array]>([
    ['DUP', [7, 'DUP', 'ADD'], 14],
    ['2DUP', [1, 2, '2DUP', 'ADD', 'ADD', 'ADD'], 6],
    ['3DUP', [1, 2, 3, '3DUP', 'ADD', 'ADD', 'ADD', 'ADD', 'ADD'], 12],
    ['OVER', [5, 6, 'OVER', 'SUB', 'SUB'], 4],
    ['2OVER', [1, 2, 3, 4, '2OVER', 'SUB', 'SUB', 'SUB', 'SUB', 'SUB'], -3],
    ['SWAP', [5, 6, 'SWAP', 'SUB'], 1],
    ['2SWAP', [1, 2, 3, 4, '2SWAP', 'SUB', 'SUB', 'SUB'], -2],
    ['ROT', [1, 2, 3, 'ROT', 'SUB', 'SUB'], 0],
    ['2ROT', [1, 2, 3, 4, 5, 6, '2ROT', '2DROP', '2DROP', 'SUB'], -1],
    ['NIP', [5, 6, 'NIP'], 6],
    ['TUCK', [5, 6, 'TUCK', 'SUB', 'SUB'], 7],
    ['PICK', [7, 8, 9, 2, 'PICK', 'NIP', 'NIP', 'NIP'], 7],
    ['ROLL', [7, 8, 9, 2, 'ROLL', 'SUB', 'SUB'], 6],
    ['IFDUP of true', [3, 'IFDUP', 'ADD'], 6],
    ['IFDUP of false', [5, 0, 'IFDUP', 'ADD'], 5],
    ['DEPTH', [9, 9, 'DEPTH', 'NIP', 'NIP'], 2],
    ['DROP', [5, 6, 'DROP'], 5],
    ['2DROP', [5, 6, 7, '2DROP'], 5],
    ['the alternate stack', [5, 6, 'TOALTSTACK', '1ADD', 'FROMALTSTACK', 'ADD'], 12],
    ['SIZE', [new Uint8Array(300), 'SIZE', 'NIP'], 300],
    ['1ADD', [-1, '1ADD'], 0],
    ['1SUB', [0, '1SUB'], -1],
    ['NEGATE', [5, 'NEGATE'], -5],
    ['ABS', [-5, 'ABS'], 5],
    ['NOT', [0, 'NOT'], 1],
    ['0NOTEQUAL', [17, '0NOTEQUAL'], 1],
    ['ADD beyond four bytes', [0x7fffffff, 'DUP', 'ADD'], 0xfffffffe],
    ['SUB beyond four bytes', [-0x7fffffff, 0x7fffffff, 'SUB'], -0xfffffffe],
    ['BOOLAND', [17, 0, 'BOOLAND'], 0],
    ['BOOLOR', [17, 0, 'BOOLOR'], 1],
    ['NUMEQUAL', [17, 17, 'NUMEQUAL'], 1],
    ['NUMNOTEQUAL', [17, 17, 'NUMNOTEQUAL'], 0],
    ['LESSTHAN', [-1, 0, 'LESSTHAN'], 1],
    ['GREATERTHAN', [-1, 0, 'GREATERTHAN'], 0],
    ['LESSTHANOREQUAL', [3, 3, 'LESSTHANOREQUAL'], 1],
    ['GREATERTHANOREQUAL', [2, 3, 'GREATERTHANOREQUAL'], 0],
    ['MIN', [-3, 2, 'MIN'], -3],
    ['MAX', [-3, 2, 'MAX'], 2],
    ['WITHIN its least', [2, 2, 4, 'WITHIN'], 1],
    ['WITHIN its limit', [4, 2, 4, 'WITHIN'], 0],
    ['IF', [1, 'IF', 5, 'ELSE', 6, 'ENDIF'], 5],
    ['NOTIF', [1, 'NOTIF', 5, 'ELSE', 6, 'ENDIF'], 6],
    ['ELSE again and again', [1, 'IF', 5, 'ELSE', 6, 'ELSE', 7, 'ADD', 'ENDIF'], 12],
    ['conditionals within an unexecuted one', [0, 'IF', 'IF', 'RETURN', 'ELSE', 'VER', 'ENDIF', 'ELSE', 5, 'ENDIF'], 5],
    ['RIPEMD160', [EMPTY, 'RIPEMD160'], hash('ripemd160', EMPTY, 'buffer')],
    ['SHA1', [EMPTY, 'SHA1'], hash('sha1', EMPTY, 'buffer')],
    ['SHA256', [EMPTY, 'SHA256'], sha256(EMPTY)],
    ['HASH160', [EMPTY, 'HASH160'], hash('ripemd160', sha256(EMPTY), 'buffer')],
    ['HASH256', [EMPTY, 'HASH256'], sha256(sha256(EMPTY))],
    ['NOP', [5, 'NOP'], 5],
    ['CHECKLOCKTIMEVERIFY', [LOCKTIME, 'CHECKLOCKTIMEVERIFY'], LOCKTIME],
    ['CHECKSEQUENCEVERIFY', [SEQUENCE, 'CHECKSEQUENCEVERIFY'], SEQUENCE],
    ['CHECKSEQUENCEVERIFY switched off by its argument', [2 ** 31 + 9, 'CHECKSEQUENCEVERIFY'], 2 ** 31 + 9],
  ])('%s', (_name, words, result) => {
    const other = typeof result === 'number' ? result + 1 : Buffer.concat([result, Uint8Array.of(1)]);
    expect(script([...words, result, 'EQUAL'])).toBe('OK');
    expect(script([...words, other, 'EQUAL'])).toBe('EVAL_FALSE');
  });

  const arities: [keyof typeof OP, number][] = [
    ...(['DROP', 'DUP', 'IFDUP', 'SIZE', '1ADD', '1SUB', 'NEGATE', 'ABS', 'NOT', '0NOTEQUAL'] as const).map(
      (name): [keyof typeof OP, number] => [name, 1],
    ),
    ...(['VERIFY', 'TOALTSTACK', 'SHA1', 'HASH160', 'CHECKLOCKTIMEVERIFY', 'CHECKMULTISIG'] as const).map(
      (name): [keyof typeof OP, number] => [name, 1],
    ),
    ...(
      ['2DROP', '2DUP', 'NIP', 'OVER', 'SWAP', 'TUCK', 'PICK', 'ROLL', 'EQUAL', 'ADD', 'MIN', 'CHECKSIG'] as const
    ).map((name): [keyof typeof OP, number] => [name, 2]),
    ['3DUP', 3],
    ['ROT', 3],
    ['WITHIN', 3],
    ['2OVER', 4],
    ['2SWAP', 4],
    ['2ROT', 6],
  ];
  it.each(arities)('%s fails with fewer than %d elements', (name, least) => {
    expect(script([...many(least - 1, 1), name])).toBe('INVALID_STACK_OPERATION');
  });
});

describe('errors before segwit', () => {
  const longest = new Uint8Array(520);
  it.each<[ScriptError | 'OK', Word[], Word[]?, ScriptFlags?]>([
    ['EVAL_FALSE', [0]],
    ['EVAL_FALSE', [Uint8Array.of(0, 0x80)], [], MANDATORY_FLAGS],
    ['OP_RETURN', [1, 'RETURN']],
    ['OK', [longest, 'DROP', 1]],
    ['PUSH_SIZE', [new Uint8Array(521), 'DROP', 1]],
    ['OK', [...many(201, 'NOP'), 1]],
    ['OP_COUNT', [...many(202, 'NOP'), 1]],
    ['OP_COUNT', [0, 0, ...many(20, KEY), 20, ...many(181, 'NOP'), 'CHECKMULTISIG', 1]],
    ['OK', [1], many(1000 - 1, 1), without('CLEANSTACK')],
    ['STACK_SIZE', [1, 1], many(1000 - 1, 1), without('CLEANSTACK')],
    ['SIG_COUNT', [0, 1, 0, 'CHECKMULTISIG']],
    ['SIG_COUNT', [0, -1, 0, 'CHECKMULTISIG']],
    ['PUBKEY_COUNT', [21, 'CHECKMULTISIG']],
    ['PUBKEY_COUNT', [-1, 'CHECKMULTISIG']],
    ['VERIFY', [0, 'VERIFY', 1]],
    ['EQUALVERIFY', [1, 2, 'EQUALVERIFY', 1]],
    ['NUMEQUALVERIFY', [1, 2, 'NUMEQUALVERIFY', 1]],
    ['CHECKSIGVERIFY', [KEY, 'CHECKSIGVERIFY', 1], [0]],
    ['CHECKMULTISIGVERIFY', [1, KEY, 1, 'CHECKMULTISIGVERIFY', 1], [0, 0]],
    ['BAD_OPCODE', ['VER']],
    ['BAD_OPCODE', [0, 'IF', 'VERIF', 'ENDIF', 1]],
    ['BAD_OPCODE', [0, 0, KEY, 'CHECKSIGADD']],
    ['OK', [0, 'IF', 'RESERVED', 'ENDIF', 1]],
    ['DISABLED_OPCODE', [0, 'IF', 'CAT', 'ENDIF', 1]],
    ['INVALID_STACK_OPERATION', [1, 1, 'PICK']],
    ['INVALID_STACK_OPERATION', [1, -1, 'ROLL']],
    ['INVALID_ALTSTACK_OPERATION', ['FROMALTSTACK']],
    ['UNBALANCED_CONDITIONAL', [1, 'IF']],
    ['UNBALANCED_CONDITIONAL', ['ELSE']],
    ['UNBALANCED_CONDITIONAL', ['ENDIF']],
    ['INVALID_STACK_OPERATION', ['IF', 'ENDIF']],
    ['NEGATIVE_LOCKTIME', [-1, 'CHECKLOCKTIMEVERIFY']],
    ['NEGATIVE_LOCKTIME', [-1, 'CHECKSEQUENCEVERIFY']],
    ['UNSATISFIED_LOCKTIME', [LOCKTIME + 1, 'CHECKLOCKTIMEVERIFY']],
    ['UNSATISFIED_LOCKTIME', [500_000_000, 'CHECKLOCKTIMEVERIFY']],
    ['UNSATISFIED_LOCKTIME', [SEQUENCE + 1, 'CHECKSEQUENCEVERIFY']],
    ['UNSATISFIED_LOCKTIME', [0x400001, 'CHECKSEQUENCEVERIFY']],
    ['SCRIPTNUM', [Uint8Array.of(1, 0), '1ADD']],
    ['OK', [Uint8Array.of(1, 0), '1ADD'], [], MANDATORY_FLAGS],
    ['SCRIPTNUM', [Uint8Array.of(0, 0, 0, 0, 1), '1ADD'], [], MANDATORY_FLAGS],
    ['SCRIPTNUM', [new Uint8Array(6), 'CHECKLOCKTIMEVERIFY'], [], MANDATORY_FLAGS],
    ['MINIMALDATA', [Uint8Array.of(5)]],
    ['OK', [Uint8Array.of(5)], [], MANDATORY_FLAGS],
    ['SIG_PUSHONLY', [1], ['NOP'], new Set<ScriptFlag>(['SIGPUSHONLY'])],
    ['SIG_DER', [KEY, 'CHECKSIG'], [Uint8Array.of(0x30, 1, 1)]],
    ['PUBKEYTYPE', [INTERNAL, 'CHECKSIG'], [0]],
    ['SIG_NULLDUMMY', [1, 0, 0, 'CHECKMULTISIG']],
    ['CLEANSTACK', [1], [1]],
    ['DISCOURAGE_UPGRADABLE_NOPS', ['NOP10', 1]],
    ['OP_CODESEPARATOR', [0, 'IF', 'CODESEPARATOR', 'ENDIF', 1]],
    ['OK', [0, 'IF', 'CODESEPARATOR', 'ENDIF', 1], [], MANDATORY_FLAGS],
  ])('%s: %j', (expected, words, unlock = [], flags = STANDARD_FLAGS) => {
    expect(script(words, unlock, flags)).toBe(expected);
  });

  it('SCRIPT_SIZE above 10,000 bytes', () => {
    const filler = Array.from({ length: 19 }, () => [new Uint8Array(520), 'DROP'] as const).flat();
    const near = asm(...filler, 1);
    const rest = 10_000 - near.length;
    const full = Buffer.concat([asm(new Uint8Array(rest - 2), 'DROP'), near]);
    expect(full.length).toBe(10_000);
    expect(judge(full, {}, STANDARD_FLAGS)).toBe('OK');
    expect(judge(Buffer.concat([asm('NOP'), full]), {}, STANDARD_FLAGS)).toBe('SCRIPT_SIZE');
  });

  it('SIG_FINDANDDELETE where a signature stands in the script that it signs', () => {
    const signature = Buffer.from('30060201010201010'.concat('1'), 'hex');
    expect(script([signature, KEY, 'CHECKSIG', signature, 'DROP', 'NOT'])).toBe('SIG_FINDANDDELETE');
    expect(script([signature, KEY, 'CHECKSIG', 'NOT'])).toBe('SIG_FINDANDDELETE');
    expect(script([KEY, 'CHECKSIG', 'NOT'], [signature])).toBe('SIG_NULLFAIL');
    expect(script([KEY, 'CHECKSIG', 'NOT'], [signature], MANDATORY_FLAGS)).toBe('OK');
  });

  it('P2SH: a wrong script, a scriptSig that does more than push, and the rules off', () => {
    const redeem = asm(1);
    const output = asm('HASH160', hash('ripemd160', sha256(redeem), 'buffer'), 'EQUAL');
    expect(judge(output, { scriptSig: asm(redeem) }, MANDATORY_FLAGS)).toBe('OK');
    expect(judge(output, { scriptSig: asm('NOP', redeem) }, MANDATORY_FLAGS)).toBe('SIG_PUSHONLY');
    expect(judge(output, { scriptSig: asm(asm(2)) }, MANDATORY_FLAGS)).toBe('EVAL_FALSE');
    expect(judge(output, { scriptSig: asm('NOP', redeem) }, new Set<ScriptFlag>())).toBe('OK');
  });
});

describe('errors of witness programs', () => {
  const yes = Uint8Array.of(1);

  it('version 0', () => {
    expect(segwit([1])).toBe('OK');
    expect(segwit([1], [yes])).toBe('CLEANSTACK');
    expect(segwit([0])).toBe('EVAL_FALSE');
    expect(segwit(['DROP', 1], [new Uint8Array(521)])).toBe('PUSH_SIZE');
    expect(segwit(['IF', 1, 'ENDIF'], [Uint8Array.of(2)])).toBe('MINIMALIF');
    expect(segwit(['IF', 1, 'ENDIF'], [Uint8Array.of(2)], MANDATORY_FLAGS)).toBe('OK');
    const uncompressed = Buffer.concat([Uint8Array.of(4), new Uint8Array(64)]);
    expect(segwit([0, uncompressed, 'CHECKSIG', 'NOT'])).toBe('WITNESS_PUBKEYTYPE');
    expect(segwit([0, 'IF', 'CODESEPARATOR', 'ENDIF', 1])).toBe('OK');
    const program = asm(0, sha256(asm(1)));
    expect(judge(program, { witness: [asm(2)] }, STANDARD_FLAGS)).toBe('WITNESS_PROGRAM_MISMATCH');
    expect(judge(program, {}, STANDARD_FLAGS)).toBe('WITNESS_PROGRAM_WITNESS_EMPTY');
    expect(judge(program, { scriptSig: asm(1), witness: [asm(1)] }, STANDARD_FLAGS)).toBe('WITNESS_MALLEATED');
    expect(judge(asm(0, new Uint8Array(21).fill(1)), { witness: [yes] }, STANDARD_FLAGS)).toBe(
      'WITNESS_PROGRAM_WRONG_LENGTH',
    );
    expect(judge(asm(0, new Uint8Array(20).fill(1)), { witness: [yes] }, STANDARD_FLAGS)).toBe(
      'WITNESS_PROGRAM_MISMATCH',
    );
    expect(judge(asm(1), { witness: [yes] }, STANDARD_FLAGS)).toBe('WITNESS_UNEXPECTED');
  });

  it('within P2SH', () => {
    const program = asm(0, sha256(asm(1)));
    const output = asm('HASH160', hash('ripemd160', sha256(program), 'buffer'), 'EQUAL');
    const witness = [asm(1)];
    expect(judge(output, { scriptSig: asm(program), witness }, STANDARD_FLAGS)).toBe('OK');
    expect(judge(output, { scriptSig: asm(1, program), witness }, STANDARD_FLAGS)).toBe('WITNESS_MALLEATED_P2SH');
    const taproot = asm(1, INTERNAL);
    const hidden = asm('HASH160', hash('ripemd160', sha256(taproot), 'buffer'), 'EQUAL');
    expect(judge(hidden, { scriptSig: asm(taproot), witness }, MANDATORY_FLAGS)).toBe('OK');
  });

  it('of the future, and pay to anchor', () => {
    const future = asm(2, INTERNAL);
    expect(judge(future, { witness: [yes] }, MANDATORY_FLAGS)).toBe('OK');
    expect(judge(future, { witness: [yes] }, STANDARD_FLAGS)).toBe('DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM');
    expect(judge(asm(1, Uint8Array.of(0x4e, 0x73)), {}, STANDARD_FLAGS)).toBe('OK');
  });

  it('taproot', () => {
    const output = asm(1, INTERNAL);
    const keyPath = (signature: Uint8Array, flags = STANDARD_FLAGS) => judge(output, { witness: [signature] }, flags);
    expect(judge(output, {}, STANDARD_FLAGS)).toBe('WITNESS_PROGRAM_WITNESS_EMPTY');
    expect(keyPath(new Uint8Array(63))).toBe('SCHNORR_SIG_SIZE');
    expect(keyPath(new Uint8Array(64))).toBe('SCHNORR_SIG');
    expect(keyPath(new Uint8Array(65))).toBe('SCHNORR_SIG_HASHTYPE');
    expect(keyPath(new Uint8Array(65).fill(4))).toBe('SCHNORR_SIG_HASHTYPE');
    expect(keyPath(new Uint8Array(64), without('TAPROOT'))).toBe('OK');
    const scriptPath = (control: Uint8Array) => judge(output, { witness: [asm(1), control] }, STANDARD_FLAGS);
    expect(scriptPath(new Uint8Array(34))).toBe('TAPROOT_WRONG_CONTROL_SIZE');
    expect(scriptPath(new Uint8Array(33 + 32 * 129))).toBe('TAPROOT_WRONG_CONTROL_SIZE');
    expect(scriptPath(new Uint8Array(33))).toBe('WITNESS_PROGRAM_MISMATCH');
    expect(tapscript(asm(0), [], MANDATORY_FLAGS, 0xc2)).toBe('OK');
    expect(tapscript(asm(0), [], STANDARD_FLAGS, 0xc2)).toBe('DISCOURAGE_UPGRADABLE_TAPROOT_VERSION');
  });

  it('tapscript', () => {
    expect(tapscript(asm(...many(300, 'NOP'), 1))).toBe('OK');
    expect(tapscript(asm('IF', 1, 'ENDIF'), [Uint8Array.of(2)], MANDATORY_FLAGS)).toBe('TAPSCRIPT_MINIMALIF');
    expect(tapscript(asm(0, 0, 0, 'CHECKMULTISIG'))).toBe('TAPSCRIPT_CHECKMULTISIG');
    expect(tapscript(asm(0, 0, 'CHECKSIG'))).toBe('TAPSCRIPT_EMPTY_PUBKEY');
    expect(tapscript(asm(0, 5, INTERNAL, 'CHECKSIGADD', 5, 'EQUAL'))).toBe('OK');
    expect(tapscript(asm(1, INTERNAL, 'CHECKSIG'))).toBe('SCHNORR_SIG_SIZE');
    expect(tapscript(asm(1, KEY, 'CHECKSIG'))).toBe('DISCOURAGE_UPGRADABLE_PUBKEYTYPE');
    expect(tapscript(asm(1, KEY, 'CHECKSIG'), [], MANDATORY_FLAGS)).toBe('OK');
    expect(tapscript(asm('CAT', 'RETURN'), [], MANDATORY_FLAGS)).toBe('OK');
    expect(tapscript(asm('CAT', 'RETURN'))).toBe('DISCOURAGE_OP_SUCCESS');
    expect(tapscript(Uint8Array.of(0x7e, 0x4b), [], MANDATORY_FLAGS)).toBe('OK');
    expect(tapscript(Uint8Array.of(0x4b, 0x7e), [], MANDATORY_FLAGS)).toBe('BAD_OPCODE');
    expect(
      tapscript(
        asm(1),
        many(1001, 0).map(() => EMPTY),
      ),
    ).toBe('STACK_SIZE');
  });

  it('tapscript pays 50 units of its witness per signature that is checked, and none for an empty one', () => {
    const checks = (count: number) => asm(...many(count, 1, KEY, 'CHECKSIGVERIFY'), 1);
    // A check takes 36 bytes of script: the budget's 50 spare ones and the control block carry a few more than the length alone.
    expect(tapscript(checks(5), [], MANDATORY_FLAGS)).toBe('OK');
    expect(tapscript(checks(20), [], MANDATORY_FLAGS)).toBe('TAPSCRIPT_VALIDATION_WEIGHT');
    const free = asm(...many(20, 0, KEY, 'CHECKSIG', 'DROP'), 1);
    expect(tapscript(free, [], MANDATORY_FLAGS)).toBe('OK');
  });
});

it("says every error in Bitcoin Core's words", () => {
  expect(reasonOf('SIG_NULLFAIL')).toBe('Signature must be zero for failed CHECK(MULTI)SIG operation');
  expect(reasonOf('TAPSCRIPT_EMPTY_PUBKEY')).toBe('Empty public key in tapscript');
});
