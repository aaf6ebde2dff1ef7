import { opcodes, payments, script, Transaction } from 'bitcoinjs-lib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ParsedOutput, parseTransaction } from '../../../../src/core/blocks/transaction.ts';
import { ecc } from '../../../../src/core/keys/ecc.ts';
import { compactFromDer } from '../../../../src/core/scripts/der-signature.ts';
import { STANDARD_FLAGS } from '../../../../src/core/scripts/interpreter/script-flags.ts';
import { type SpendVerdict, verifySpend } from '../../../../src/core/scripts/interpreter/verify-spend.ts';

const key = (n: number) => {
  const secret = new Uint8Array(32).fill(n);
  return { secret, point: ecc.pointFromScalar(secret)!, full: ecc.pointFromScalar(secret, false)! };
};
const KEYS = [key(1), key(2), key(3)].sort((a, b) => Buffer.compare(a.point, b.point));
const [FIRST, SECOND, THIRD] = KEYS as [(typeof KEYS)[0], (typeof KEYS)[0], (typeof KEYS)[0]];
const AMOUNT = 50_000n;
const MULTISIG = payments.p2ms({ m: 2, pubkeys: KEYS.map(({ point }) => point) }).output!;

type Sign = (hash: (hashType: number) => Uint8Array, secret: Uint8Array, hashType: number) => Uint8Array;
const sign: Sign = (hash, secret, hashType) => script.signature.encode(ecc.signEcdsa(hash(hashType), secret), hashType);

interface Unlocking {
  scriptSig?: Uint8Array;
  witness?: Uint8Array[];
}

/** Two inputs, of which the second (of that script) is unlocked and judged; one output unless more are asked for. */
function judge(
  scriptPubKey: Uint8Array,
  unlock: (tx: Transaction, spent: ParsedOutput[]) => Unlocking,
  options: { outputs?: number; tamper?: (tx: Transaction) => void } = {},
): SpendVerdict {
  const tx = new Transaction();
  tx.version = 2;
  tx.addInput(new Uint8Array(32).fill(7), 0, 0xfffffffd);
  tx.addInput(new Uint8Array(32).fill(8), 1, 0xfffffffd);
  for (let i = 0; i < (options.outputs ?? 2); i++) tx.addOutput(MULTISIG, BigInt(1000 + i));
  const hex = Buffer.from(scriptPubKey).toString('hex');
  const spent = [
    { amountSats: 1n, scriptPubKey: '51' },
    { amountSats: AMOUNT, scriptPubKey: hex },
  ];
  const { scriptSig, witness } = unlock(tx, spent);
  if (scriptSig) tx.setInputScript(1, scriptSig);
  if (witness) tx.setWitness(1, witness);
  options.tamper?.(tx);
  return verifySpend(parseTransaction(tx.toBuffer()), spent, 1, STANDARD_FLAGS);
}

const legacyHash = (tx: Transaction, code: Uint8Array) => (type: number) => tx.hashForSignature(1, code, type);
const v0Hash = (tx: Transaction, code: Uint8Array) => (type: number) => tx.hashForWitnessV0(1, code, AMOUNT, type);
const v1Hash = (tx: Transaction, spent: ParsedOutput[]) => (type: number) =>
  tx.hashForWitnessV1(
    1,
    spent.map((output) => Buffer.from(output.scriptPubKey, 'hex')),
    spent.map((output) => output.amountSats),
    type,
  );

const P2PKH = payments.p2pkh({ pubkey: FIRST.point }).output!;
const P2WPKH = payments.p2wpkh({ pubkey: FIRST.point }).output!;
const P2WSH = payments.p2wsh({ redeem: { output: MULTISIG } }).output!;
const nested = (output: Uint8Array) => payments.p2sh({ redeem: { output } }).output!;
const P2TR = Buffer.concat([Buffer.from('5120', 'hex'), FIRST.point.subarray(1)]);
const EMPTY = new Uint8Array(0);

const schnorr = (hash: Uint8Array, hashType: number) => {
  const signature = ecc.signSchnorr(hash, FIRST.secret);
  return hashType === 0 ? signature : Buffer.concat([signature, Buffer.from([hashType])]);
};
const multi = (hash: (type: number) => Uint8Array, signers: (typeof KEYS)[0][], hashType: number) =>
  signers.map(({ secret }) => sign(hash, secret, hashType));

type Form = [string, Uint8Array, (hashType: number) => (tx: Transaction, spent: ParsedOutput[]) => Unlocking];
const FORMS: Form[] = [
  [
    'P2PKH',
    P2PKH,
    (type) => (tx) => ({ scriptSig: script.compile([sign(legacyHash(tx, P2PKH), FIRST.secret, type), FIRST.point]) }),
  ],
  ['P2WPKH', P2WPKH, (type) => (tx) => ({ witness: [sign(v0Hash(tx, P2PKH), FIRST.secret, type), FIRST.point] })],
  [
    'P2SH-P2WPKH',
    nested(P2WPKH),
    (type) => (tx) => ({
      scriptSig: script.compile([P2WPKH]),
      witness: [sign(v0Hash(tx, P2PKH), FIRST.secret, type), FIRST.point],
    }),
  ],
  [
    'P2WSH multisig',
    P2WSH,
    (type) => (tx) => ({ witness: [EMPTY, ...multi(v0Hash(tx, MULTISIG), [FIRST, THIRD], type), MULTISIG] }),
  ],
  [
    'P2SH-P2WSH multisig',
    nested(P2WSH),
    (type) => (tx) => ({
      scriptSig: script.compile([P2WSH]),
      witness: [EMPTY, ...multi(v0Hash(tx, MULTISIG), [SECOND, THIRD], type), MULTISIG],
    }),
  ],
  [
    'P2SH multisig',
    nested(MULTISIG),
    (type) => (tx) => ({
      scriptSig: script.compile([opcodes.OP_0!, ...multi(legacyHash(tx, MULTISIG), [FIRST, SECOND], type), MULTISIG]),
    }),
  ],
  ['P2TR key path', P2TR, (type) => (tx, spent) => ({ witness: [schnorr(v1Hash(tx, spent)(type), type)] })],
];

const ECDSA_TYPES = [0x01, 0x02, 0x03, 0x81, 0x82, 0x83];
const refused = (reason: string) => ({ valid: false, error: expect.any(String), reason });

describe.each(FORMS)('%s', (name, scriptPubKey, unlock) => {
  const types = name.startsWith('P2TR') ? [0, ...ECDSA_TYPES] : ECDSA_TYPES;

  it.each(types)('is unlocked by a signature of hash type %d', (type) => {
    expect(judge(scriptPubKey, unlock(type))).toEqual({ valid: true });
  });

  it('is not unlocked once any byte of scriptSig or witness changes', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const tamper = (tx: Transaction) => {
          const { script: scriptSig, witness } = tx.ins[1]!;
          const parts = [scriptSig, ...witness].map((part) => Buffer.from(part));
          const bytes = Buffer.concat(parts);
          bytes[at % bytes.length]! ^= change;
          const lengths = parts.map((part) => part.length);
          const ends = lengths.map((_, i) => lengths.slice(0, i + 1).reduce((sum, length) => sum + length));
          const [changedScript, ...changedWitness] = ends.map((end, i) => bytes.subarray(end - lengths[i]!, end));
          tx.setInputScript(1, changedScript!);
          tx.setWitness(1, changedWitness);
        };
        expect(judge(scriptPubKey, unlock(1), { tamper }).valid).toBe(false);
      }),
      { numRuns: 120 },
    );
  });

  it('commits to the outputs unless the hash type leaves them out', () => {
    const raise = (index: number) => (tx: Transaction) => {
      tx.outs[index]!.value += 1n;
    };
    expect(judge(scriptPubKey, unlock(0x01), { tamper: raise(0) }).valid).toBe(false);
    expect(judge(scriptPubKey, unlock(0x02), { tamper: raise(0) }).valid).toBe(true);
    expect(judge(scriptPubKey, unlock(0x03), { tamper: raise(0) }).valid).toBe(true);
    expect(judge(scriptPubKey, unlock(0x03), { tamper: raise(1) }).valid).toBe(false);
  });

  it('commits to the other inputs unless anyone can pay', () => {
    const swap = (tx: Transaction) => {
      tx.ins[0]!.index = 9;
    };
    expect(judge(scriptPubKey, unlock(0x01), { tamper: swap }).valid).toBe(false);
    expect(judge(scriptPubKey, unlock(0x81), { tamper: swap }).valid).toBe(true);
  });

  it('is not unlocked by nothing', () => {
    expect(judge(scriptPubKey, () => ({})).valid).toBe(false);
  });
});

describe('ECDSA signature encoding', () => {
  const withSignature = (change: (signature: Uint8Array) => Uint8Array) =>
    judge(P2WPKH, (tx) => ({ witness: [change(sign(v0Hash(tx, P2PKH), FIRST.secret, 1)), FIRST.point] }));

  it('refuses a high S, though the curve accepts it', () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const verdict = withSignature((signature) => {
      const { signature: compact } = script.signature.decode(signature);
      const s = order - BigInt(`0x${Buffer.from(compact.subarray(32)).toString('hex')}`);
      const high = Buffer.concat([compact.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]);
      return script.signature.encode(high, 1);
    });
    expect(verdict).toEqual(refused('Non-canonical signature: S value is unnecessarily high'));
  });

  it.each([0x00, 0x04, 0x80, 0x84, 0xff])('refuses hash type %d', (type) => {
    const verdict = withSignature((signature) => Buffer.concat([signature.subarray(0, -1), Buffer.from([type])]));
    expect(verdict).toEqual(refused('Signature hash type missing or not understood'));
  });

  it('refuses padding and a wrong length', () => {
    const padded = withSignature((signature) => {
      const body = Buffer.from(signature);
      const wider = Buffer.concat([body.subarray(0, 4), Buffer.from([0]), body.subarray(4)]);
      wider[1]!++;
      wider[3]!++;
      return wider;
    });
    expect(padded).toEqual(refused('Non-canonical DER signature'));
    expect(withSignature((signature) => Buffer.concat([signature, Buffer.from([1])]))).toEqual(
      refused('Non-canonical DER signature'),
    );
  });

  it('decodes what bitcoinjs-lib encodes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), (compact) => {
        const der = script.signature.encode(compact, 1).subarray(0, -1);
        expect(Buffer.from(compactFromDer(der)!)).toEqual(Buffer.from(compact));
      }),
    );
  });
});

describe('what a signature cannot be used for', () => {
  it('refuses multisig signatures out of key order, too few, or with a dummy that is not empty', () => {
    const with2 = (make: (signatures: Uint8Array[]) => Uint8Array[]) =>
      judge(P2WSH, (tx) => ({ witness: [...make(multi(v0Hash(tx, MULTISIG), [FIRST, SECOND], 1)), MULTISIG] }));
    const nullFail = refused('Signature must be zero for failed CHECK(MULTI)SIG operation');
    expect(with2(([a, b]) => [EMPTY, a!, b!])).toEqual({ valid: true });
    expect(with2(([a, b]) => [EMPTY, b!, a!])).toEqual(nullFail);
    expect(with2(([a]) => [EMPTY, a!, a!])).toEqual(nullFail);
    expect(with2(([a]) => [EMPTY, a!]).valid).toBe(false);
    expect(with2(([a, b]) => [Buffer.from([1]), a!, b!])).toEqual(refused('Dummy CHECKMULTISIG argument must be zero'));
  });

  it("refuses another key's signature, in words that Bitcoin Core uses", () => {
    expect(judge(P2WPKH, (tx) => ({ witness: [sign(v0Hash(tx, P2PKH), SECOND.secret, 1), FIRST.point] }))).toEqual(
      refused('Signature must be zero for failed CHECK(MULTI)SIG operation'),
    );
    expect(judge(P2WPKH, (tx) => ({ witness: [sign(v0Hash(tx, P2PKH), SECOND.secret, 1), SECOND.point] }))).toEqual(
      refused('Script failed an OP_EQUALVERIFY operation'),
    );
  });

  it('accepts an uncompressed key in P2PKH and refuses it in segwit', () => {
    const full = payments.p2pkh({ pubkey: FIRST.full }).output!;
    expect(
      judge(full, (tx) => ({ scriptSig: script.compile([sign(legacyHash(tx, full), FIRST.secret, 1), FIRST.full]) })),
    ).toEqual({ valid: true });
    const segwit = Buffer.concat([Buffer.from('0014', 'hex'), full.subarray(3, 23)]);
    expect(judge(segwit, (tx) => ({ witness: [sign(v0Hash(tx, full), FIRST.secret, 1), FIRST.full] }))).toEqual(
      refused('Using non-compressed keys in segwit'),
    );
  });

  it.each<[string, Uint8Array, Unlocking, string]>([
    ['a bare multisig output', MULTISIG, {}, 'Operation not valid with the current stack size'],
    [
      'a taproot script path with a wrong control block',
      P2TR,
      { witness: [EMPTY, EMPTY, new Uint8Array(33)] },
      'Witness program hash mismatch',
    ],
    [
      'a future witness version',
      Buffer.from(`5220${'07'.repeat(32)}`, 'hex'),
      { witness: [EMPTY] },
      'Witness version reserved for soft-fork upgrades',
    ],
  ])('refuses %s', (_what, scriptPubKey, unlocking, reason) => {
    expect(judge(scriptPubKey, () => unlocking)).toEqual(refused(reason));
  });

  it.each<[string, Uint8Array, Unlocking]>([
    ['an output that anyone can spend', Buffer.from('51', 'hex'), {}],
    ['a pay-to-anchor output', Buffer.from('51024e73', 'hex'), {}],
    [
      'a witness script that is not multisig',
      payments.p2wsh({ redeem: { output: Uint8Array.of(0x51) } }).output!,
      { witness: [Uint8Array.of(0x51)] },
    ],
    ['a P2SH script that is not multisig', nested(Uint8Array.of(0x51)), { scriptSig: Uint8Array.of(1, 0x51) }],
  ])('judges %s, which nothing protects', (_what, scriptPubKey, unlocking) => {
    expect(judge(scriptPubKey, () => unlocking)).toEqual({ valid: true });
  });

  it('lets SIGHASH_SINGLE without an output of the same index sign zeros in segwit, the number one before, nothing in taproot', () => {
    const only = { outputs: 1 };
    const segwit = FORMS[1]!;
    expect(judge(segwit[1], segwit[2](0x03), only)).toEqual({ valid: true });
    const one = Uint8Array.from({ length: 32 }, (_, at) => (at === 0 ? 1 : 0));
    const legacy = () => ({ scriptSig: script.compile([sign(() => one, FIRST.secret, 0x03), FIRST.point]) });
    expect(judge(P2PKH, legacy, only)).toEqual({ valid: true });
    expect(judge(P2PKH, legacy).valid).toBe(false);
    const signature = Buffer.concat([new Uint8Array(64), Uint8Array.of(3)]);
    expect(judge(P2TR, () => ({ witness: [signature] }), only)).toEqual(refused('Invalid Schnorr signature hash type'));
  });
});
