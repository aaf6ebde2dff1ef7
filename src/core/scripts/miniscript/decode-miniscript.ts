import { analyzeMiniscript } from '@bitcoinerlab/miniscript';
import { OP } from '../interpreter/opcodes.ts';
import { type HashFragment, type Miniscript, miniscriptText, type ScriptContext } from './miniscript.ts';
import { numberIn, reversedTokens, type ScriptToken } from './script-tokens.ts';

/** Longer ones are not relayed in P2WSH, nor spendable in P2SH; for tapscripts it is plenty. */
const MAX_SCRIPT_LENGTH = { legacy: 520, 'segwit-v0': 3600, tapscript: 10_000 } as const;
/** Of expressions within each other, and in a row of and_v. */
const DEEPEST = 64;
/** Satisfying a threshold costs the square of this. */
const MAX_SUBEXPRESSIONS = 100;

/**
 * The miniscript that a script is, read from its end as Bitcoin Core does (DecodeScript), in time linear in its length; null where it is
 * none, or none that is valid as a whole (its types are checked by @bitcoinerlab/miniscript).
 */
export function decodeMiniscript(script: Uint8Array, context: ScriptContext): Miniscript | null {
  const node = decodeUnchecked(script, context);
  if (node === null || isPlain(node)) return node;
  return isValid(node, context) ? node : null;
}

function decodeUnchecked(script: Uint8Array, context: ScriptContext): Miniscript | null {
  if (script.length > MAX_SCRIPT_LENGTH[context]) return null;
  const tokens = reversedTokens(script);
  if (tokens === null) return null;
  const decoder = new Decoder(tokens, context);
  const node = decoder.expression(0);
  return node !== null && decoder.finished ? node : null;
}

/** One key or one multisig: valid by its form. */
const isPlain = (node: Miniscript): boolean =>
  node.type === 'multi' || node.type === 'multi_a' || (node.type === 'c' && node.of[0].type.startsWith('pk_'));

function isValid(node: Miniscript, context: ScriptContext): boolean {
  try {
    return analyzeMiniscript(miniscriptText(node), { tapscript: context === 'tapscript' }).valid;
  } catch {
    return false;
  }
}

const HASHES = new Map<number, { fragment: HashFragment; size: number }>([
  [OP.SHA256, { fragment: 'sha256', size: 32 }],
  [OP.HASH256, { fragment: 'hash256', size: 32 }],
  [OP.RIPEMD160, { fragment: 'ripemd160', size: 20 }],
  [OP.HASH160, { fragment: 'hash160', size: 20 }],
]);

/** What no expression ends with: an and_v reaches no further back than to one of these. */
const BEFORE_EXPRESSION = new Set<number>([OP.IF, OP.ELSE, OP.NOTIF, OP.TOALTSTACK, OP.SWAP]);

class Decoder {
  private readonly tokens: readonly ScriptToken[];
  private readonly context: ScriptContext;
  private at = 0;

  constructor(tokens: readonly ScriptToken[], context: ScriptContext) {
    this.tokens = tokens;
    this.context = context;
  }

  get finished(): boolean {
    return this.at === this.tokens.length;
  }

  /** An expression of type B, K or V, which may be a row of and_v. */
  expression(depth: number): Miniscript | null {
    let node = this.single(depth);
    const later: Miniscript[] = [];
    while (node !== null && !this.finished && !BEFORE_EXPRESSION.has(this.opcode())) {
      later.push(node);
      node = this.single(depth + 1);
      if (later.length > DEEPEST) return null;
    }
    for (let next = later.pop(); node !== null && next !== undefined; next = later.pop())
      node = { type: 'and_v', of: [node, next] };
    return node;
  }

  private single(depth: number): Miniscript | null {
    if (depth > DEEPEST || this.finished) return null;
    return this.leaf() ?? this.composed(depth + 1);
  }

  private leaf(): Miniscript | null {
    const { opcode, data } = this.token();
    if (data !== null) {
      if (opcode === OP[0] || opcode === OP[1]) return this.took(1, { type: opcode === OP[0] ? '0' : '1' });
      return this.isKey(data) ? this.took(1, { type: 'pk_k', key: data }) : null;
    }
    switch (opcode) {
      case OP.VERIFY:
        return this.keyHash();
      case OP.CHECKSEQUENCEVERIFY:
        return this.lock('older');
      case OP.CHECKLOCKTIMEVERIFY:
        return this.lock('after');
      case OP.EQUAL:
        return this.hash();
      case OP.CHECKMULTISIG:
        return this.multi();
      case OP.NUMEQUAL:
        return this.multiA();
      default:
        return null;
    }
  }

  private keyHash(): Miniscript | null {
    const keyHash = this.token(2).data;
    const is = this.opcode(1) === OP.EQUAL && this.opcode(3) === OP.HASH160 && this.opcode(4) === OP.DUP;
    return is && keyHash?.length === 20 ? this.took(5, { type: 'pk_h', keyHash }) : null;
  }

  private lock(type: 'older' | 'after'): Miniscript | null {
    const value = numberIn(this.token(1));
    return value !== null && value >= 1 ? this.took(2, { type, value }) : null;
  }

  private hash(): Miniscript | null {
    const form = HASHES.get(this.opcode(2));
    const hash = this.token(1).data;
    const sized = this.opcode(3) === OP.VERIFY && this.opcode(4) === OP.EQUAL && this.opcode(6) === OP.SIZE;
    if (!form || !sized || numberIn(this.token(5)) !== 32 || hash?.length !== form.size) return null;
    return this.took(7, { type: form.fragment, hash });
  }

  private multi(): Miniscript | null {
    if (this.context === 'tapscript') return null;
    const total = numberIn(this.token(1));
    if (total === null || total < 1 || total > 20) return null;
    const keys: Uint8Array[] = [];
    for (let key = 0; key < total; key++) {
      const { data } = this.token(2 + key);
      if (data === null || !this.isKey(data)) return null;
      keys.push(data);
    }
    const required = numberIn(this.token(2 + total));
    if (required === null || required < 1 || required > total) return null;
    return this.took(3 + total, { type: 'multi', required, keys: keys.reverse() });
  }

  private multiA(): Miniscript | null {
    if (this.context !== 'tapscript') return null;
    const required = numberIn(this.token(1));
    const keys: Uint8Array[] = [];
    for (let at = 2; ; at += 2) {
      const opcode = this.opcode(at);
      const { data } = this.token(at + 1);
      if ((opcode !== OP.CHECKSIGADD && opcode !== OP.CHECKSIG) || data === null || !this.isKey(data)) return null;
      keys.push(data);
      if (opcode === OP.CHECKSIG) break;
    }
    if (required === null || required < 1 || required > keys.length) return null;
    return this.took(2 + 2 * keys.length, { type: 'multi_a', required, keys: keys.reverse() });
  }

  private composed(depth: number): Miniscript | null {
    switch (this.opcode()) {
      case OP.CHECKSIG:
        return this.wrapped('c', depth);
      case OP.VERIFY:
        return this.wrapped('v', depth);
      case OP['0NOTEQUAL']:
        return this.wrapped('n', depth);
      case OP.EQUAL:
        return this.thresh(depth);
      case OP.ENDIF:
        return this.conditional(depth);
      case OP.BOOLAND:
      case OP.BOOLOR: {
        const type = this.opcode() === OP.BOOLAND ? 'and_b' : 'or_b';
        this.at++;
        const second = this.swapped(depth);
        const first = second && this.single(depth);
        return first && second && { type, of: [first, second] };
      }
      default:
        return null;
    }
  }

  private wrapped(type: 'c' | 'v' | 'n', depth: number): Miniscript | null {
    this.at++;
    const inner = this.single(depth);
    return inner && { type, of: [inner] };
  }

  /** An expression of type W: taken to the other stack, or swapped. */
  private swapped(depth: number): Miniscript | null {
    const other = this.opcode() === OP.FROMALTSTACK;
    if (other) this.at++;
    const inner = this.expression(depth);
    if (inner === null || this.opcode() !== (other ? OP.TOALTSTACK : OP.SWAP)) return null;
    return this.took(1, { type: other ? 'a' : 's', of: [inner] });
  }

  private thresh(depth: number): Miniscript | null {
    const required = numberIn(this.token(1));
    if (required === null || required < 1) return null;
    this.at += 2;
    const of: Miniscript[] = [];
    while (this.opcode() === OP.ADD) {
      this.at++;
      const sub = this.swapped(depth);
      if (sub === null || of.length >= MAX_SUBEXPRESSIONS) return null;
      of.push(sub);
    }
    const first = this.single(depth);
    if (first === null) return null;
    of.push(first);
    return required <= of.length ? { type: 'thresh', required, of: of.reverse() } : null;
  }

  /** What ends in OP_ENDIF: d, j, or_c, or_d, or_i, andor. */
  private conditional(depth: number): Miniscript | null {
    this.at++;
    const last = this.expression(depth);
    if (last === null) return null;
    switch (this.opcode()) {
      case OP.ELSE:
        return this.withElse(last, depth);
      case OP.NOTIF:
        return this.unless(last, depth);
      case OP.IF:
        if (this.opcode(1) === OP.DUP) return this.took(2, { type: 'd', of: [last] });
        if (this.opcode(1) === OP['0NOTEQUAL'] && this.opcode(2) === OP.SIZE)
          return this.took(3, { type: 'j', of: [last] });
        return null;
      default:
        return null;
    }
  }

  private withElse(last: Miniscript, depth: number): Miniscript | null {
    this.at++;
    const before = this.expression(depth);
    if (before === null) return null;
    if (this.opcode() === OP.IF) return this.took(1, { type: 'or_i', of: [before, last] });
    if (this.opcode() !== OP.NOTIF) return null;
    this.at++;
    const condition = this.single(depth);
    return condition && { type: 'andor', of: [condition, last, before] };
  }

  private unless(last: Miniscript, depth: number): Miniscript | null {
    this.at++;
    const duplicated = this.opcode() === OP.IFDUP;
    if (duplicated) this.at++;
    const condition = this.single(depth);
    return condition && { type: duplicated ? 'or_d' : 'or_c', of: [condition, last] };
  }

  private isKey({ length }: Uint8Array): boolean {
    if (this.context === 'tapscript') return length === 32;
    return length === 33 || (this.context === 'legacy' && length === 65);
  }

  private took(tokens: number, node: Miniscript): Miniscript {
    this.at += tokens;
    return node;
  }

  private token(ahead = 0): ScriptToken {
    return this.tokens[this.at + ahead] ?? NOTHING;
  }

  private opcode(ahead = 0): number {
    return this.token(ahead).opcode;
  }
}

const NOTHING: ScriptToken = { opcode: -1, data: null };
