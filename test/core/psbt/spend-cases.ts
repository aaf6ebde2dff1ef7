/** One output of every type that is signed for, with what a PSBT must say of it and the keys that spend it. */
import { compileMiniscript } from '@bitcoinerlab/miniscript';
import { hash160, sha256 } from '../../../src/core/hashes.ts';
import { ecc } from '../../../src/core/keys/ecc.ts';
import { INPUT } from '../../../src/core/psbt/codec/key-types.ts';
import type { PsbtInputDraft, PsbtInputFacts } from '../../../src/core/psbt/construction/psbt-draft.ts';
import { opcodeOf } from '../../../src/core/scripts/opcodes.ts';
import { p2tr } from '../../../src/core/scripts/output-scripts.ts';
import { pushData, pushNumber } from '../../../src/core/scripts/push.ts';
import { taprootOutput } from '../../../src/core/taproot/taproot-output.ts';

export interface TestKey {
  readonly privateKey: Buffer;
  /** As signers take it. */
  readonly hex: string;
  readonly point: Buffer;
  readonly uncompressed: Buffer;
  readonly xOnly: Buffer;
}

export function testKey(name: string): TestKey {
  const privateKey = sha256(Buffer.from(`spend case ${name}`));
  const point = Buffer.from(ecc.pointFromScalar(privateKey, true)!);
  const uncompressed = Buffer.from(ecc.pointFromScalar(privateKey, false)!);
  return { privateKey, hex: privateKey.toString('hex'), point, uncompressed, xOnly: point.subarray(1) };
}

export const [A, B, C] = [testKey('A'), testKey('B'), testKey('C')];

export interface SpendCase {
  readonly name: string;
  readonly script: Buffer;
  readonly taproot: boolean;
  /** Spent without a witness: the PSBT has the previous transaction alone. */
  readonly legacy: boolean;
  readonly facts: PsbtInputFacts;
  readonly lock: Pick<PsbtInputDraft, 'sequence' | 'requiredHeightLocktime'>;
  /** Enough to spend it. */
  readonly signers: readonly TestKey[];
}

const op = (name: string): Buffer => Buffer.of(opcodeOf(name)!);
const script = (...parts: (string | number | Uint8Array)[]): Buffer =>
  Buffer.concat(
    parts.map((part) =>
      typeof part === 'string' ? op(part) : typeof part === 'number' ? pushNumber(part) : pushData(part),
    ),
  );
const p2sh = (redeem: Uint8Array): Buffer => script('OP_HASH160', hash160(redeem), 'OP_EQUAL');
const p2wsh = (witness: Uint8Array): Buffer => script(0, sha256(witness));
const p2wpkh = (key: Uint8Array): Buffer => script(0, hash160(key));
const p2pkh = (key: Uint8Array): Buffer =>
  script('OP_DUP', 'OP_HASH160', hash160(key), 'OP_EQUALVERIFY', 'OP_CHECKSIG');
export const multisig = (required: number, ...keys: Uint8Array[]): Buffer =>
  script(required, ...keys, keys.length, 'OP_CHECKMULTISIG');

/** The script of a miniscript whose keys are hex. */
export function miniscriptScript(text: string, tapscript = false): Buffer {
  const { asm } = compileMiniscript(text, { tapscript });
  const parts = asm.split(' ').filter((token) => token !== '');
  return Buffer.concat(
    parts.map((token) => {
      const hashed = /^<HASH160\(([0-9a-f]+)\)>$/.exec(token);
      if (hashed) return pushData(hash160(Buffer.from(hashed[1]!, 'hex')));
      const pushed = /^<([0-9a-f]+)>$/.exec(token);
      if (pushed) return pushData(Buffer.from(pushed[1]!, 'hex'));
      return /^\d+$/.test(token) ? pushNumber(Number(token)) : op(token);
    }),
  );
}

type Form = Partial<Omit<SpendCase, 'name' | 'script' | 'signers'>>;
const one = (name: string, output: Buffer, signers: readonly TestKey[], form: Form = {}): SpendCase => ({
  name,
  script: output,
  taproot: false,
  legacy: false,
  facts: {},
  lock: {},
  ...form,
  signers,
});

const miniscriptCase = (name: string, text: string, signers: readonly TestKey[], form: Form = {}): SpendCase => {
  const witnessScript = miniscriptScript(text);
  return one(name, p2wsh(witnessScript), signers, { ...form, facts: { witnessScript, ...form.facts } });
};

const PREIMAGE = Buffer.alloc(32, 9);
const preimageField = { type: INPUT.SHA256, keyData: sha256(PREIMAGE), value: PREIMAGE };
const [a, b, c] = [A, B, C].map(({ point }) => point.toString('hex'));
const [xa, xb, xc] = [A, B, C].map(({ xOnly }) => xOnly.toString('hex'));

const tree = taprootOutput(C.xOnly, [
  { script: miniscriptScript(`pk(${xa})`, true), leafVersion: 0xc0 },
  [
    { script: miniscriptScript(`multi_a(2,${xa},${xb},${xc})`, true), leafVersion: 0xc0 },
    { script: miniscriptScript(`and_v(v:pk(${xb}),older(3))`, true), leafVersion: 0xc0 },
  ],
]);
const leafFact = (at: number) => {
  const { script: leaf, leafVersion, controlBlock } = tree.leaves[at]!;
  return { script: leaf, leafVersion, controlBlock };
};
const treeFacts = { tapInternalKey: C.xOnly, tapMerkleRoot: tree.merkleRoot! };
const pair = multisig(2, A.point, B.point, C.point);
const pairInWsh = p2wsh(pair);
const bip86 = taprootOutput(A.xOnly, null);
const keyScript = script(A.point, 'OP_CHECKSIG');

export const SPEND_CASES: readonly SpendCase[] = [
  one('p2pkh', p2pkh(A.point), [A], { legacy: true }),
  one('p2pkh of an uncompressed key', p2pkh(A.uncompressed), [A], { legacy: true }),
  one('p2pk', keyScript, [A], { legacy: true }),
  one('bare multisig', pair, [A, C], { legacy: true }),
  one('p2sh multisig', p2sh(pair), [C, B], { legacy: true, facts: { redeemScript: pair } }),
  one('p2sh of a key', p2sh(keyScript), [A], { legacy: true, facts: { redeemScript: keyScript } }),
  one('p2wpkh', p2wpkh(A.point), [A]),
  one('p2sh-p2wpkh', p2sh(p2wpkh(A.point)), [A], { facts: { redeemScript: p2wpkh(A.point) } }),
  one('p2wsh multisig', pairInWsh, [B, A], { facts: { witnessScript: pair } }),
  one('p2sh-p2wsh multisig', p2sh(pairInWsh), [A, C], { facts: { redeemScript: pairInWsh, witnessScript: pair } }),
  miniscriptCase('p2wsh pkh', `pkh(${a})`, [A]),
  miniscriptCase('p2wsh either key, the first', `or_d(pk(${a}),and_v(v:pkh(${b}),older(4)))`, [A], {
    facts: {
      bip32Derivations: [{ publicKey: B.point, fingerprint: '00000000', path: [] }],
    },
  }),
  miniscriptCase('p2wsh the second key after blocks', `or_d(pk(${a}),and_v(v:pkh(${b}),older(4)))`, [B], {
    lock: { sequence: 4 },
  }),
  miniscriptCase('p2wsh hash lock', `and_v(v:pk(${a}),sha256(${sha256(PREIMAGE).toString('hex')}))`, [A], {
    facts: { fields: [preimageField] },
  }),
  miniscriptCase('p2wsh from a height on', `and_v(v:pk(${a}),after(50))`, [A], {
    lock: { requiredHeightLocktime: 60, sequence: 0xfffffffe },
  }),
  miniscriptCase('p2wsh threshold', `thresh(2,pk(${a}),s:pk(${b}),sln:older(5))`, [A, B]),
  miniscriptCase('p2wsh threshold with the lock', `thresh(2,pk(${a}),s:pk(${b}),sln:older(5))`, [B], {
    lock: { sequence: 6 },
  }),
  miniscriptCase('p2wsh andor', `andor(pk(${a}),older(3),pk(${b}))`, [B]),
  miniscriptCase('p2wsh or_i', `or_i(pk(${a}),pk(${b}))`, [B]),
  miniscriptCase('p2wsh nested multisig', `and_v(v:multi(2,${a},${b},${c}),pk(${a}))`, [A, B]),
  one('p2tr by its key', bip86.scriptPubKey, [A], { taproot: true, facts: { tapInternalKey: A.xOnly } }),
  one('p2tr of which only the output is known', bip86.scriptPubKey, [A], { taproot: true }),
  one('p2tr of an untweaked key', p2tr(B.xOnly), [B], { taproot: true }),
  one('p2tr with a tree by its key', tree.scriptPubKey, [C], { taproot: true, facts: treeFacts }),
  one('p2tr leaf', tree.scriptPubKey, [A], { taproot: true, facts: { ...treeFacts, tapLeafScripts: [leafFact(0)] } }),
  one('p2tr leaf without internal key', tree.scriptPubKey, [A], {
    taproot: true,
    facts: { tapLeafScripts: [leafFact(0)] },
  }),
  one('p2tr multisig leaf', tree.scriptPubKey, [B, A], {
    taproot: true,
    facts: { ...treeFacts, tapLeafScripts: [leafFact(1)] },
  }),
  one('p2tr leaf with a lock', tree.scriptPubKey, [B], {
    taproot: true,
    facts: { ...treeFacts, tapLeafScripts: [leafFact(1), leafFact(2)] },
    lock: { sequence: 3 },
  }),
];
