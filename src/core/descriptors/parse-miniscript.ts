import { DomainError } from '../errors.ts';
import type { DescriptorKey } from './descriptor-key.ts';
import type { BinaryName, HashName, MiniscriptNode, WrapperName } from './descriptor-node.ts';
import { argumentsOf, callOf, numberArgument } from './expression.ts';

/** Deeper ones do not fit a standard script, and recursion over them would be the caller's to choose. */
const MAX_DEPTH = 200;
const HASH_LENGTH: Readonly<Record<HashName, number>> = { sha256: 32, hash256: 32, ripemd160: 20, hash160: 20 };
const BINARY: ReadonlySet<string> = new Set<BinaryName>(['and_v', 'and_b', 'or_b', 'or_c', 'or_d', 'or_i']);

export interface MiniscriptContext {
  readonly tapscript: boolean;
  key(text: string): DescriptorKey;
}

/** A miniscript expression as a tree, wrappers and sugar (pk, pkh, and_n, t:, l:, u:) spelled out. Types are another's to check. */
export function parseMiniscript(text: string, context: MiniscriptContext, depth = 0): MiniscriptNode {
  if (depth > MAX_DEPTH) throw invalid('the miniscript is nested too deeply');
  const colon = /^([a-z]+):/.exec(text);
  if (colon) {
    const letters = colon[1] as string;
    if (letters.length + depth > MAX_DEPTH) throw invalid('the miniscript is nested too deeply');
    const inner = parseMiniscript(text.slice(colon[0].length), context, depth + letters.length);
    return [...letters].reverse().reduce(wrap, inner);
  }
  if (text === '0' || text === '1') return { type: text };
  const call = callOf(text);
  if (!call) throw invalid('a miniscript is built of fragments such as and_v(v:pk(key),older(144))');
  return fragment(call.name, argumentsOf(call.inside), context, depth);
}

function wrap(sub: MiniscriptNode, letter: string): MiniscriptNode {
  if (letter === 't') return { type: 'and_v', subs: [sub, { type: '1' }] };
  if (letter === 'l') return { type: 'or_i', subs: [{ type: '0' }, sub] };
  if (letter === 'u') return { type: 'or_i', subs: [sub, { type: '0' }] };
  if (!'ascdvjn'.includes(letter)) throw invalid(`miniscript has no wrapper ${letter}:`);
  return { type: letter as WrapperName, sub };
}

function fragment(name: string, given: readonly string[], context: MiniscriptContext, depth: number): MiniscriptNode {
  const count = (wanted: number): void => {
    if (given.length !== wanted) throw invalid(`${name}() takes ${wanted} argument${wanted === 1 ? '' : 's'}`);
  };
  const sub = (text: string): MiniscriptNode => parseMiniscript(text, context, depth + 1);
  switch (name) {
    case 'pk':
    case 'pkh':
      count(1);
      return { type: 'c', sub: { type: name === 'pk' ? 'pk_k' : 'pk_h', key: context.key(given[0] as string) } };
    case 'pk_k':
    case 'pk_h':
      count(1);
      return { type: name, key: context.key(given[0] as string) };
    case 'older':
    case 'after':
      count(1);
      return { type: name, value: numberArgument(given[0], `${name}()`, 1, 0x7fffffff) };
    case 'sha256':
    case 'hash256':
    case 'ripemd160':
    case 'hash160':
      count(1);
      return { type: name, hash: hashOf(name, given[0] as string) };
    case 'andor':
      count(3);
      return { type: 'andor', subs: [sub(given[0] as string), sub(given[1] as string), sub(given[2] as string)] };
    case 'and_n':
      count(2);
      return { type: 'andor', subs: [sub(given[0] as string), sub(given[1] as string), { type: '0' }] };
    case 'thresh': {
      const required = numberArgument(given[0], 'the threshold of thresh()', 1, given.length - 1);
      return { type: 'thresh', required, subs: given.slice(1).map(sub) };
    }
    case 'multi':
    case 'multi_a':
      return multi(name, given, context);
  }
  if (!BINARY.has(name)) throw invalid(`miniscript has no fragment ${name.slice(0, 20)}()`);
  count(2);
  return { type: name as BinaryName, subs: [sub(given[0] as string), sub(given[1] as string)] };
}

function multi(name: 'multi' | 'multi_a', given: readonly string[], context: MiniscriptContext): MiniscriptNode {
  if ((name === 'multi_a') !== context.tapscript) {
    throw invalid(context.tapscript ? 'tapscript has no multi(): use multi_a()' : 'multi_a() stands in tr() only');
  }
  const most = name === 'multi' ? 20 : 999;
  if (given.length - 1 > most) throw invalid(`${name}() has at most ${most} keys`);
  const required = numberArgument(given[0], `the number of signatures of ${name}()`, 1, given.length - 1);
  return { type: name, required, keys: given.slice(1).map((key) => context.key(key)) };
}

function hashOf(name: HashName, text: string): Buffer {
  const length = HASH_LENGTH[name];
  if (!/^[0-9a-fA-F]*$/.test(text) || text.length !== 2 * length)
    throw invalid(`${name}() takes ${2 * length} hex digits`);
  return Buffer.from(text, 'hex');
}

const invalid = (message: string): DomainError => new DomainError('invalid_descriptor', message);
