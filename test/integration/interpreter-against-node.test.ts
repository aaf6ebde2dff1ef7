import { hash } from 'node:crypto';
import { Transaction } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ParsedOutput, parseTransaction } from '../../src/core/blocks/transaction.ts';
import { sha256 } from '../../src/core/hashes.ts';
import { ecc } from '../../src/core/keys/ecc.ts';
import { txid } from '../../src/core/outpoint.ts';
import { nonstandardInput } from '../../src/core/relay-policy/standard-inputs.ts';
import { derWithHashType } from '../../src/core/scripts/der-signature.ts';
import { pushOf } from '../../src/core/scripts/interpreter/instructions.ts';
import { OP } from '../../src/core/scripts/interpreter/opcodes.ts';
import { STANDARD_FLAGS } from '../../src/core/scripts/interpreter/script-flags.ts';
import { encodeNumber } from '../../src/core/scripts/interpreter/script-number.ts';
import { verifySpend } from '../../src/core/scripts/interpreter/verify-spend.ts';
import { createSignatureHasher } from '../../src/core/scripts/signature-hash.ts';
import { tapLeafHash } from '../../src/core/taproot/leaf-hash.ts';
import { tweakPublicKey } from '../../src/core/taproot/tweak.ts';
import { startTestNode, type TestNode } from '../builders/regtest-node.ts';

const SECRET = new Uint8Array(32).fill(5);
const KEY = ecc.pointFromScalar(SECRET) as Uint8Array;
const X_ONLY = KEY.subarray(1);
const AMOUNT = 100_000n;
const RUNS = 1200;
const LOCKTIME = 50;
const SEQUENCE = 3;

const FORMS = ['P2SH', 'P2WSH', 'P2SH-P2WSH', 'P2TR'] as const;
type Form = (typeof FORMS)[number];
type Token = { bytes: Uint8Array } | { signature: number; damage: boolean };

const concat = (...parts: Uint8Array[]): Buffer => Buffer.concat(parts);
const hash160 = (bytes: Uint8Array): Buffer => hash('ripemd160', sha256(bytes), 'buffer');

/** A spend of one input by the script, in its wrapping. `unlock` gets the hash that a signature of a type must sign. */
function spendOf(form: Form, script: Uint8Array, funding: { txid: string; vout: number }, unlock: Token[]) {
  const leafHash = tapLeafHash(script);
  const { parity } = tweakPublicKey(X_ONLY, leafHash);
  const spent: ParsedOutput = { amountSats: AMOUNT, scriptPubKey: outputOf(form, script).toString('hex') };
  const tx = new Transaction();
  tx.version = 2;
  tx.locktime = LOCKTIME;
  tx.addInput(Buffer.from(funding.txid, 'hex').reverse(), funding.vout, SEQUENCE);
  tx.addOutput(Buffer.from(`5120${Buffer.from(X_ONLY).toString('hex')}`, 'hex'), AMOUNT - 20_000n);
  const hasher = createSignatureHasher(parseTransaction(tx.toBuffer()), [spent]);
  const items = unlock.map((token) => {
    if ('bytes' in token) return token.bytes;
    const type = token.signature;
    const damage = (digest: Uint8Array) => (token.damage ? sha256(digest) : digest);
    if (form === 'P2TR') {
      const signature = ecc.signSchnorr(damage(hasher.taproot(0, type, { leafHash })), SECRET);
      return type === 0 ? signature : concat(signature, Uint8Array.of(type));
    }
    const digest = form === 'P2SH' ? hasher.legacy(0, script, type) : hasher.segwitV0(0, script, type);
    return derWithHashType(ecc.signEcdsa(damage(digest), SECRET), type);
  });
  if (form === 'P2SH') tx.setInputScript(0, concat(...items.map(shortestPush), shortestPush(script)));
  else if (form === 'P2TR') tx.setWitness(0, [...items, script, concat(Uint8Array.of(0xc0 | parity), X_ONLY)]);
  else tx.setWitness(0, [...items, script]);
  if (form === 'P2SH-P2WSH') tx.setInputScript(0, pushOf(concat(Uint8Array.of(0, 32), sha256(script))));
  return { raw: Buffer.from(tx.toBuffer()), spent };
}

const shortestPush = (data: Uint8Array): Uint8Array => {
  const only = data[0];
  if (data.length === 1 && only !== undefined && only >= 1 && only <= 16) return Uint8Array.of(0x50 + only);
  if (data.length === 1 && only === 0x81) return Uint8Array.of(0x4f);
  return pushOf(data);
};

function outputOf(form: Form, script: Uint8Array): Buffer {
  const program = concat(Uint8Array.of(0, 32), sha256(script));
  if (form === 'P2WSH') return program;
  if (form === 'P2TR') return concat(Uint8Array.of(0x51, 32), tweakPublicKey(X_ONLY, tapLeafHash(script)).outputKey);
  const redeemScript = form === 'P2SH' ? script : program;
  return concat(Uint8Array.of(0xa9, 20), hash160(redeemScript), Uint8Array.of(0x87));
}

const opcode = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: OP['1NEGATE'], max: 0xbb }) },
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      ...[OP.DUP, OP.DROP, OP.SWAP, OP.SIZE, OP.EQUAL, OP.ADD, OP.SUB, OP.NOT, OP.WITHIN, OP.PICK, OP.ROLL, OP.DEPTH],
      ...[OP['2DUP'], OP['3DUP'], OP['2ROT'], OP['2SWAP'], OP.TUCK, OP.ROT, OP.IFDUP, OP.TOALTSTACK, OP.FROMALTSTACK],
      ...[OP.CHECKLOCKTIMEVERIFY, OP.CHECKSEQUENCEVERIFY, OP.HASH160, OP.SHA256, OP.VERIFY, OP.CODESEPARATOR],
    ),
  },
);
const number = fc.oneof(
  fc.integer({ min: -2, max: 20 }),
  fc.integer({ min: -0x7fffffff, max: 0x7fffffff }),
  fc.constantFrom(LOCKTIME, LOCKTIME + 1, SEQUENCE, SEQUENCE + 1, 500_000_000, 0x400003, 2 ** 31, 2 ** 38),
);
const element = fc.oneof(
  { weight: 5, arbitrary: number.map((value) => encodeNumber(value)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 6 }) },
  { weight: 1, arbitrary: fc.constantFrom(Uint8Array.of(0x80), Uint8Array.of(0), Uint8Array.of(1, 0), KEY, X_ONLY) },
);
const instruction = fc.oneof(
  { weight: 5, arbitrary: opcode.map((op) => Uint8Array.of(op)) },
  { weight: 4, arbitrary: element.map(shortestPush) },
  { weight: 1, arbitrary: element.map(pushOf) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(Uint8Array.of(2, 7), Uint8Array.of(0x4c, 1, 7), Uint8Array.of(0x4d, 1, 0, 7)),
  },
);
const segment: fc.Arbitrary<Uint8Array> = fc
  .array(instruction, { maxLength: 6 })
  .map((parts) => concat(...parts) as Uint8Array);
const conditional = fc
  .tuple(fc.constantFrom(OP.IF, OP.NOTIF), segment, fc.option(segment), fc.boolean())
  .map(([open, yes, no, closed]) =>
    concat(
      Uint8Array.of(open),
      yes,
      ...(no ? [Uint8Array.of(OP.ELSE), no] : []),
      closed ? Uint8Array.of(OP.ENDIF) : new Uint8Array(0),
    ),
  );
const keyPush = (form: Form) =>
  fc.constantFrom(form === 'P2TR' ? X_ONLY : KEY, form === 'P2TR' ? KEY : X_ONLY, new Uint8Array(0)).map(pushOf);
const check = (form: Form) =>
  fc
    .tuple(
      keyPush(form),
      fc.constantFrom(
        ...[OP.CHECKSIG, OP.CHECKSIG, OP.CHECKSIG, OP.CHECKSIGVERIFY, OP.CHECKSIGADD, OP.CHECKMULTISIG],
        OP.CODESEPARATOR,
      ),
      fc.boolean(),
    )
    .map(([key, op, multisig]) =>
      multisig
        ? concat(Uint8Array.of(0, OP.SWAP, OP[1]), key, key, Uint8Array.of(OP[1] + 1, OP.CHECKMULTISIG))
        : concat(key, Uint8Array.of(op)),
    );
const token = fc.oneof(
  element.map((bytes): Token => ({ bytes })),
  fc.record({ signature: fc.constantFrom(0, 1, 1, 2, 3, 0x81, 0x83, 4), damage: fc.boolean() }),
);
/** Mostly spendable: a time or sequence that must have come, then one signature. */
const signed = fc
  .record({
    form: fc.constantFrom(...FORMS),
    lock: fc.option(fc.tuple(number, fc.constantFrom(OP.CHECKLOCKTIMEVERIFY, OP.CHECKSEQUENCEVERIFY))),
    negated: fc.boolean(),
    unlock: fc.tuple(token).map(([only]): Token[] => ('bytes' in only ? [{ signature: 1, damage: false }] : [only])),
  })
  .map(({ form, lock, negated, unlock }) => ({
    form,
    script: concat(
      ...(lock ? [shortestPush(encodeNumber(lock[0])), Uint8Array.of(lock[1], OP.DROP)] : []),
      pushOf(form === 'P2TR' ? X_ONLY : KEY),
      Uint8Array.of(OP.CHECKSIG, ...(negated ? [OP.NOT, OP.NOT] : [])),
    ) as Uint8Array,
    unlock,
  }));
const wild = fc.constantFrom(...FORMS).chain((form) =>
  fc.record({
    form: fc.constant(form),
    script: fc
      .array(fc.oneof(segment, check(form), conditional), { minLength: 1, maxLength: 3 })
      .map((parts) => concat(...parts) as Uint8Array),
    unlock: fc.array(token, { maxLength: 4 }),
  }),
);

const scenario = fc.oneof({ weight: 4, arbitrary: wild }, { weight: 1, arbitrary: signed });

let node: TestNode;
beforeAll(async () => {
  node = await startTestNode();
  await node.mine(110);
});
afterAll(() => node?.stop());

/** The node's words for what Bitcoin Core has named more exactly since. */
const RENAMED: Readonly<Record<string, string>> = {
  'Script number overflowed or is non-minimally encoded': 'unknown error',
  'Empty public key in tapscript': 'Public key is neither compressed or uncompressed',
};

/** Some nodes relay no tapscript that has a conditional, and then say this of all; the first case shows whether this one does. */
const PROBE: { form: Form; script: Uint8Array; unlock: Token[] } = {
  form: 'P2TR',
  script: Uint8Array.of(OP.IF, OP[1], OP.ELSE, OP[1], OP.ENDIF),
  unlock: [{ bytes: Uint8Array.of(1) }],
};
const NEEDS_MINIMAL_IF = 'OP_IF/NOTIF argument must be minimal in tapscript';

async function verdictOfNode(raw: Buffer): Promise<string> {
  const [verdict] = await node.rpc<{ allowed: boolean; 'reject-reason'?: string }[]>('testmempoolaccept', [
    raw.toString('hex'),
  ]);
  return verdict!.allowed ? 'accepted' : reasonIn(verdict!['reject-reason']!);
}

it('agrees with a node on random scripts behind every kind of output, and on the reason', async () => {
  const cases = [PROBE, ...fc.sample(scenario, RUNS)];
  const fundings = await fund(cases.map(({ form, script }) => outputOf(form, script).toString('hex')));
  const spends = cases.map(({ form, script, unlock }, at) => spendOf(form, script, fundings[at]!, unlock));
  const seen = new Map<string, number>();
  let conditionals = true;
  for (const [at, { raw, spent }] of spends.entries()) {
    const theirs = await verdictOfNode(raw);
    const tapscriptCondition = cases[at]!.form === 'P2TR' && theirs === NEEDS_MINIMAL_IF;
    if (at === 0) conditionals = !tapscriptCondition;
    if (tapscriptCondition && !conditionals) continue;
    const tx = parseTransaction(raw);
    const verdict = verifySpend(tx, [spent], 0, STANDARD_FLAGS);
    const reason = verdict.valid ? 'accepted' : (RENAMED[verdict.reason] ?? verdict.reason);
    const ours = nonstandardInput(tx.inputs[0]!, spent) ?? reason;
    // A conditional without argument was an unbalanced one before version 31 of Bitcoin Core.
    if (theirs === 'Invalid OP_IF construction' && ours === 'Operation not valid with the current stack size') continue;
    expect(ours, JSON.stringify({ ...cases[at], script: Buffer.from(cases[at]!.script).toString('hex') })).toBe(theirs);
    seen.set(ours, (seen.get(ours) ?? 0) + 1);
  }
  // Not all refused for one reason: the scripts reach most of what can go wrong.
  expect(seen.get('accepted')).toBeGreaterThan(20);
  expect(seen.size).toBeGreaterThan(15);
}, 300_000);

/**
 * The reason within `mempool-script-verify-flag-failed (reason)`, of any version; or what policy has against the input, of which some nodes say more than
 * Bitcoin Core.
 */
function reasonIn(reason: string): string {
  const scriptError = /script-verify-flag[a-z-]* \((.*?)\)(,|$)/.exec(reason)?.[1];
  if (scriptError) return scriptError;
  if (/^bad-txns-(input-|nonstandard-inputs)/.test(reason)) return 'bad-txns-nonstandard-inputs';
  return reason.startsWith('bad-witness-') ? 'bad-witness-nonstandard' : reason;
}

/** One confirmed output per script, made by the node's wallet. */
async function fund(scripts: readonly string[]): Promise<{ txid: string; vout: number }[]> {
  const found: { txid: string; vout: number }[] = [];
  for (let from = 0; from < scripts.length; from += 400) {
    const tx = new Transaction();
    tx.version = 2;
    for (const script of scripts.slice(from, from + 400)) tx.addOutput(Buffer.from(script, 'hex'), AMOUNT);
    const funded = await node.rpc<{ hex: string }>(
      'fundrawtransaction',
      tx.toHex(),
      { changePosition: tx.outs.length },
      false,
    );
    const signed = await node.rpc<{ hex: string }>('signrawtransactionwithwallet', funded.hex);
    const id = txid(await node.rpc<string>('sendrawtransaction', signed.hex));
    for (const vout of tx.outs.keys()) found.push({ txid: id, vout });
    await node.mine(10);
  }
  return found;
}
