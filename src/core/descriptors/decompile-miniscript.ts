/** From a witness script back to the miniscript that compiles to it (Bitcoin Core's miniscript::FromScript), read from its end. */
import { disassembleScript } from '../scripts/disassemble-script.ts';
import { compileMiniscript } from './compile-miniscript.ts';
import type { DescriptorKey } from './descriptor-key.ts';
import type { MiniscriptNode } from './descriptor-node.ts';

export interface KeySource {
  /** null: not a key of the context. */
  key(publicKey: Uint8Array): DescriptorKey | null;
  /** null: no such key is known. */
  keyOfHash(hash: Uint8Array): DescriptorKey | null;
}

/** An opcode, or what it pushes. */
interface Token {
  readonly opcode: number;
  readonly data: Buffer | null;
}

const VERIFY_FORMS: Readonly<Record<number, number>> = { 136: 0x87, 173: 0xac, 175: 0xae, 157: 0x9c };
const HASHES: Readonly<Record<number, 'sha256' | 'hash256' | 'ripemd160' | 'hash160'>> = {
  168: 'sha256',
  170: 'hash256',
  166: 'ripemd160',
  169: 'hash160',
};
/** Deeper ones are no longer than what is relayed, but of no use; recursion over them would be the script's to choose. */
const MOST_DEPTH = 200;
/** Largest witness script that is relayed (policy.h). */
const MOST_BYTES = 3_600;
/** OP_IF, OP_NOTIF, OP_ELSE, OP_TOALTSTACK, OP_SWAP: they end no expression, so what stands before one is no part of a run. */
const OPENERS: ReadonlySet<number> = new Set([0x63, 0x64, 0x67, 0x6b, 0x7c]);

/** null where the script is no miniscript of P2WSH, or hashes keys that are not known. */
export function decompileMiniscript(script: Uint8Array, keys: KeySource): MiniscriptNode | null {
  const tokens = script.length > MOST_BYTES ? null : tokensOf(script);
  if (tokens === null) return null;
  const reader = { tokens, at: tokens.length, depth: 0 };
  try {
    const root = expressions(reader, keys);
    // Whatever reading took for granted is proved by writing it again.
    return reader.at === 0 && compileMiniscript(root, 0, false).equals(script) ? root : null;
  } catch (error) {
    if (error instanceof NotMiniscript) return null;
    throw error;
  }
}

class NotMiniscript extends Error {}

interface Reader {
  readonly tokens: readonly Token[];
  /** Tokens before this are still to be read. */
  at: number;
  depth: number;
}

/** Opcodes with a VERIFY form taken apart, so that one rule reads both. */
function tokensOf(script: Uint8Array): Token[] | null {
  const { elements, error } = disassembleScript(script);
  if (error !== null || elements.some(({ minimal }) => minimal === false)) return null;
  return elements.flatMap(({ opcode, data }): Token[] => {
    const verified = VERIFY_FORMS[opcode];
    const bytes = data === null ? null : Buffer.from(data, 'hex');
    return verified === undefined
      ? [{ opcode, data: bytes }]
      : [
          { opcode: verified, data: null },
          { opcode: 0x69, data: null },
        ];
  });
}

const peek = (reader: Reader, back = 1): number => reader.tokens[reader.at - back]?.opcode ?? -1;

function take(reader: Reader): Token {
  const token = reader.tokens[reader.at - 1];
  if (token === undefined) throw new NotMiniscript();
  reader.at -= 1;
  return token;
}

function expect(reader: Reader, ...opcodes: number[]): void {
  for (const opcode of opcodes) if (take(reader).opcode !== opcode) throw new NotMiniscript();
}

function numberOf({ data, opcode }: Token): number {
  if (opcode === 0) return 0;
  if (data === null || data.length > 5 || (data[data.length - 1] as number) & 0x80) throw new NotMiniscript();
  return data.readUIntLE(0, data.length);
}

/** A run of expressions, which and_v joins: everything back to where its surroundings begin. */
function expressions(reader: Reader, keys: KeySource): MiniscriptNode {
  const run = [expression(reader, keys)];
  while (reader.at > 0 && !OPENERS.has(peek(reader))) {
    if (run.length === MOST_DEPTH) throw new NotMiniscript();
    run.push(expression(reader, keys));
  }
  return run.reduceRight((left, right) => ({ type: 'and_v', subs: [left, right] }));
}

/** One W expression: `s:` or `a:`. */
function wrappedExpression(reader: Reader, keys: KeySource): MiniscriptNode {
  if (peek(reader) === 0x6c) {
    take(reader);
    const sub = expressions(reader, keys);
    expect(reader, 0x6b);
    return { type: 'a', sub };
  }
  const sub = expressions(reader, keys);
  expect(reader, 0x7c);
  return { type: 's', sub };
}

function expression(reader: Reader, keys: KeySource): MiniscriptNode {
  if (++reader.depth > MOST_DEPTH) throw new NotMiniscript();
  const node = fragment(take(reader), reader, keys);
  reader.depth -= 1;
  return node;
}

function fragment({ opcode, data }: Token, reader: Reader, keys: KeySource): MiniscriptNode {
  if (data !== null && data.length === 33) return { type: 'pk_k', key: orThrow(keys.key(data)) };
  switch (opcode) {
    case 0x00:
      return { type: '0' };
    case 0x51:
      return { type: '1' };
    case 0xb2:
    case 0xb1: {
      const value = numberOf(take(reader));
      if (value < 1 || value > 0x7fffffff) throw new NotMiniscript();
      return { type: opcode === 0xb2 ? 'older' : 'after', value };
    }
    case 0xac:
      return { type: 'c', sub: expression(reader, keys) };
    case 0xae:
      return multi(reader, keys);
    case 0x87:
      return equality(reader, keys);
    case 0x69:
      return verified(reader, keys);
    case 0x92:
      return { type: 'n', sub: expression(reader, keys) };
    case 0x9a:
    case 0x9b: {
      const right = wrappedExpression(reader, keys);
      return { type: opcode === 0x9a ? 'and_b' : 'or_b', subs: [expression(reader, keys), right] };
    }
    case 0x68:
      return conditional(reader, keys);
  }
  throw new NotMiniscript();
}

/** What OP_VERIFY ends: pk_h, which has one within, or v:. */
function verified(reader: Reader, keys: KeySource): MiniscriptNode {
  const hash = reader.tokens[reader.at - 2]?.data;
  if (peek(reader) === 0x87 && hash?.length === 20 && peek(reader, 3) === 0xa9 && peek(reader, 4) === 0x76) {
    reader.at -= 4;
    return { type: 'pk_h', key: orThrow(keys.keyOfHash(hash)) };
  }
  return { type: 'v', sub: expression(reader, keys) };
}

/** A hash to be matched, or a threshold. */
function equality(reader: Reader, keys: KeySource): MiniscriptNode {
  const value = take(reader);
  const hashing = HASHES[peek(reader)];
  if (hashing !== undefined && value.data !== null && value.data.length >= 20) {
    take(reader);
    // OP_SIZE 32 OP_EQUALVERIFY, the last taken apart.
    expect(reader, 0x69, 0x87);
    if (numberOf(take(reader)) !== 32) throw new NotMiniscript();
    expect(reader, 0x82);
    return { type: hashing, hash: value.data };
  }
  const required = numberOf(value);
  const subs: MiniscriptNode[] = [];
  while (peek(reader) === 0x93) {
    take(reader);
    subs.unshift(wrappedExpression(reader, keys));
  }
  subs.unshift(expression(reader, keys));
  if (required < 1 || required > subs.length) throw new NotMiniscript();
  return { type: 'thresh', required, subs };
}

function multi(reader: Reader, keys: KeySource): MiniscriptNode {
  const total = numberOf(take(reader));
  if (total < 1 || total > 20) throw new NotMiniscript();
  const found: DescriptorKey[] = [];
  for (let count = 0; count < total; count++) found.unshift(orThrow(keys.key(take(reader).data ?? Buffer.alloc(0))));
  const required = numberOf(take(reader));
  if (required < 1 || required > total) throw new NotMiniscript();
  return { type: 'multi', required, keys: found };
}

/** What OP_ENDIF ends: or_c, or_d, or_i, andor, d:, j:. */
function conditional(reader: Reader, keys: KeySource): MiniscriptNode {
  const last = expressions(reader, keys);
  const opener = take(reader).opcode;
  if (opener === 0x64) {
    if (peek(reader) === 0x73) {
      take(reader);
      return { type: 'or_d', subs: [expression(reader, keys), last] };
    }
    return { type: 'or_c', subs: [expression(reader, keys), last] };
  }
  if (opener === 0x63) {
    if (peek(reader) === 0x76) {
      take(reader);
      return { type: 'd', sub: last };
    }
    expect(reader, 0x92, 0x82);
    return { type: 'j', sub: last };
  }
  if (opener !== 0x67) throw new NotMiniscript();
  const middle = expressions(reader, keys);
  const start = take(reader).opcode;
  if (start === 0x63) return { type: 'or_i', subs: [middle, last] };
  if (start !== 0x64) throw new NotMiniscript();
  return { type: 'andor', subs: [expression(reader, keys), last, middle] };
}

function orThrow<T>(value: T | null): T {
  if (value === null) throw new NotMiniscript();
  return value;
}
