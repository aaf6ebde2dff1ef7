/** Every mistake that a caller of family E can make: its status, its slug, the field that is named. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setWitnessUtxo } from '../../../src/core/psbt/codec/input-fields.ts';
import { INPUT } from '../../../src/core/psbt/codec/key-types.ts';
import { psbtFromText, psbtToBase64 } from '../../../src/core/psbt/codec/psbt-text.ts';
import type { PsbtV2 } from '../../../src/core/psbt/psbt.ts';
import type { PsbtMap } from '../../../src/core/psbt/psbt-map.ts';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';
import { A } from '../../core/psbt/spend-cases.ts';
import { noteSecret } from '../../secrets/collected.ts';
import { ELSEWHERE, OTHER_TRANSACTION, psbtHttp } from './psbt-http.ts';

let service: TestApp;
const { ask, ok, refused } = psbtHttp(() => service);
/** One segwit input of A's, one output. */
let psbt: string;
let signed: string;

const TXID = 'ab'.repeat(32);
const OUTPUT = { address: ELSEWHERE, amount: '0.5' };
const KEY = A.hex;
const witnessUtxo = (script: string) => ({ witness_utxo: { script, amount: '1' } });
let script: string;

beforeAll(async () => {
  service = await startTestApp();
  noteSecret('key', KEY);
  const { hash160 } = await import('../../../src/core/hashes.ts');
  script = `0014${hash160(A.point).toString('hex')}`;
  psbt = (await ok('create', { inputs: [{ txid: TXID, vout: 0, ...witnessUtxo(script) }], outputs: [OUTPUT] })).psbt;
  signed = (await ok('sign', { psbt, key: KEY })).psbt;
});
afterAll(() => service.close());

interface Mistake {
  readonly verb: string;
  readonly body: () => unknown;
  readonly status: 400 | 413 | 415 | 422;
  readonly field: string;
  readonly says?: RegExp;
  readonly code?: string;
}

const create = (input: Json, output: Json = OUTPUT, more: Json = {}) => ({
  inputs: [{ txid: TXID, vout: 0, ...input }],
  outputs: [output],
  ...more,
});
const bad = (field: string, body: Json, says?: RegExp): Mistake => ({
  verb: 'create',
  body: () => body,
  status: 400,
  field,
  ...(says === undefined ? {} : { says }),
});

const CREATE: readonly Mistake[] = [
  bad('inputs', { outputs: [OUTPUT] }, /required/),
  bad('outputs', { inputs: [] }, /required/),
  bad('inputs', { inputs: {}, outputs: [] }, /array/),
  bad('inputs[0].txid', create({ txid: 'abc' }), /64 hex digits/),
  bad('inputs[0].txid', create({ txid: undefined }), /required/),
  bad('inputs[0].vout', create({ vout: -1 })),
  bad('inputs[0].vout', create({ vout: 1.5 })),
  bad('inputs[0].vout', create({ vout: 2 ** 32 })),
  bad('inputs[0].vout', create({ vout: '0' })),
  bad('inputs[0].sequence', create({ sequence: 2 ** 32 })),
  bad('inputs[0].surprise', create({ surprise: 1 }), /not a known field/),
  bad('inputs[0].required_time_locktime', create({ required_time_locktime: 499_999_999 }), /time/),
  bad('inputs[0].required_height_locktime', create({ required_height_locktime: 500_000_000 }), /height/),
  bad('inputs[0].required_height_locktime', create({ required_height_locktime: 0 }), /height/),
  bad('inputs[0].witness_utxo.amount', create({ witness_utxo: { address: ELSEWHERE } }), /required/),
  bad('inputs[0].witness_utxo.amount', create({ witness_utxo: { address: ELSEWHERE, amount: 1 } }), /quotation marks/),
  bad(
    'inputs[0].witness_utxo.script_pubkey',
    create({ witness_utxo: { amount: '1' } }),
    /one of script_pubkey and address/,
  ),
  bad(
    'inputs[0].witness_utxo.script_pubkey',
    create({ witness_utxo: { address: ELSEWHERE, script: '51', amount: '1' } }),
  ),
  bad(
    'inputs[0].witness_utxo.address',
    create({ witness_utxo: { address: 'nonsense', amount: '1' } }),
    /not a Bitcoin address/,
  ),
  bad('inputs[0].non_witness_utxo', create({ non_witness_utxo: 'abc' }), /hex/),
  bad('inputs[0]', create({ non_witness_utxo: '0200' }), /PSBT_IN_NON_WITNESS_UTXO.*one transaction/),
  bad('inputs[0].non_witness_utxo', create({ non_witness_utxo: OTHER_TRANSACTION }), /input spends/),
  bad('inputs[0].redeem_script', create({ redeem_script: 'zz' }), /hex/),
  bad('inputs[0].sighash_type', create({ sighash_type: 'EVERYTHING' })),
  bad('inputs[0].sighash_type', create({ sighash_type: 256 })),
  bad(
    'inputs[0].bip32_derivation[0].pubkey',
    create({ bip32_derivation: [{ pubkey: 'ab', fingerprint: 'd34db33f', path: 'm/0' }] }),
    /public key/,
  ),
  bad(
    'inputs[0].bip32_derivation[0].fingerprint',
    create({ bip32_derivation: [{ pubkey: `02${'ab'.repeat(32)}`, fingerprint: 'd3', path: 'm/0' }] }),
  ),
  bad(
    'inputs[0].bip32_derivation[0].path',
    create({ bip32_derivation: [{ pubkey: `02${'ab'.repeat(32)}`, fingerprint: 'd34db33f', path: 'm/x' }] }),
  ),
  bad(
    'inputs[0].bip32_derivation[0].path',
    create({ bip32_derivation: [{ pubkey: `02${'ab'.repeat(32)}`, fingerprint: 'd34db33f', path: 'm/2147483648' }] }),
  ),
  bad('inputs[0].tap_internal_key', create({ tap_internal_key: `02${'ab'.repeat(32)}` }), /x-only/),
  bad('inputs[0].tap_merkle_root', create({ tap_merkle_root: 'ab' })),
  bad('inputs[0].tap_leaf_script[0].control_block', create({ tap_leaf_script: [{ script: '51' }] }), /required/),
  bad('inputs[0]', create({ tap_leaf_script: [{ control_block: 'c0', script: '51' }] }), /control block/),
  bad('inputs[0].preimages[0].hash', create({ preimages: [{ hash: 'md5', preimage: '00' }] })),
  bad(
    'inputs[1]',
    {
      inputs: [
        { txid: TXID, vout: 0 },
        { txid: TXID, vout: 0 },
      ],
      outputs: [],
    },
    /spends/,
  ),
  bad(
    'inputs',
    {
      inputs: [
        { txid: TXID, vout: 0, required_height_locktime: 5 },
        { txid: TXID, vout: 1, required_time_locktime: 600_000_000 },
      ],
      outputs: [],
    },
    /height.*time/,
  ),
  bad('outputs[0].amount', create({}, { address: ELSEWHERE }), /required/),
  bad('outputs[0].amount', create({}, { address: ELSEWHERE, amount: 0.5 }), /quotation marks/),
  bad('outputs[0].amount', create({}, { address: ELSEWHERE, amount: '0.123456789' }), /8 decimals/),
  bad('outputs[0].amount', create({}, { address: ELSEWHERE, amount: '-1' })),
  bad('outputs[0].amount', create({}, { address: ELSEWHERE, amount: '21000001' })),
  bad('outputs[0].script_pubkey', create({}, { amount: '1' }), /one of script_pubkey and address/),
  bad(
    'outputs[0].address',
    create({}, { address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', amount: '1' }),
    /mainnet/,
  ),
  bad('outputs[0].script', create({}, { script: 'xyz', amount: '1' }), /hex/),
  bad('outputs[0]', create({}, { ...OUTPUT, tap_tree: [{ depth: 1, script: '51' }] }), /tree/),
  bad('outputs[0].tap_tree[0].depth', create({}, { ...OUTPUT, tap_tree: [{ depth: 129, script: '51' }] })),
  bad('version', create({}, OUTPUT, { version: 0 }), /must be 2/),
  bad('version', create({}, OUTPUT, { version: '2' })),
  bad('tx_version', create({}, OUTPUT, { tx_version: -1 })),
  bad('fallback_locktime', create({}, OUTPUT, { fallback_locktime: 2 ** 32 })),
  bad('tx_modifiable.inputs', create({}, OUTPUT, { tx_modifiable: { outputs: true } }), /required/),
  bad('tx_modifiable', create({}, OUTPUT, { tx_modifiable: true }), /object/),
  bad('lock_time', create({}, OUTPUT, { lock_time: 0 }), /not a known field/),
  bad('body', undefined, /missing: send a JSON object/),
];

const OF_A_PSBT = ['sign', 'finalize', 'decode', 'update', 'extract', 'verify', 'construct', 'frames', 'migrate'];
const withKey = (verb: string) => (verb === 'sign' ? { key: KEY } : {});

/** Bytes of the PSBT changed, as base64. */
const bent = (bend: (hex: string) => string) =>
  Buffer.from(bend(Buffer.from(psbt, 'base64').toString('hex')), 'hex').toString('base64');

describe('create refuses', () => {
  it.each(CREATE.map((mistake, at) => [`${at}: ${mistake.field}`, mistake] as const))('%s', async (_, mistake) => {
    const refusal = await refused(mistake.verb, mistake.body());
    expect([refusal.status, refusal.field], refusal.message).toEqual([mistake.status, mistake.field]);
    if (mistake.says !== undefined) expect(refusal.message).toMatch(mistake.says);
  });
});

describe('whatever takes a PSBT refuses', () => {
  const TEXTS: readonly [string, () => unknown, RegExp][] = [
    ['nothing', () => undefined, /required/],
    ['an empty text', () => '', /must not be empty/],
    ['a number', () => 5, /string/],
    ['no base64', () => '!!!!', /base64/],
    ['base64 of something else', () => 'aGVsbG8=', /begins with the bytes/],
    ['base64 without padding', () => psbt.replace(/=+$/, '').slice(0, -1), /base64/],
    ['half of one', () => psbt.slice(0, 80), /./],
    ['one with bytes behind it', () => bent((hex) => `${hex}00`), /bytes follow it/],
    ['hex of half a byte', () => `${Buffer.from(psbt, 'base64').toString('hex')}0`, /hex/],
    ['a version that is not there', () => bent((hex) => hex.replace('01fb0402', '01fb0403')), /PSBT_GLOBAL_VERSION/],
    [
      'one without its transaction version',
      () => bent((hex) => hex.replace('01020402000000', '')),
      /PSBT_GLOBAL_TX_VERSION/,
    ],
    [
      'a field twice',
      () => bent((hex) => hex.replace('01020402000000', '0102040200000001020402000000')),
      /twice|more than once|duplicate/i,
    ],
  ];

  it.each(TEXTS)('%s, naming psbt', async (_, text, says) => {
    for (const verb of OF_A_PSBT) {
      const refusal = await refused(verb, { psbt: text(), ...withKey(verb) });
      expect([refusal.status, refusal.field], `${verb}: ${refusal.message}`).toEqual([400, 'psbt']);
      expect(refusal.message, verb).toMatch(says);
    }
  });

  it('a broken input by its number and field', async () => {
    // The witness UTXO's script is said to be longer than it is.
    const broken = bent((hex) => hex.replace(`16${script}`, `17${script}`));
    const refusal = await refused('decode', { psbt: broken });
    expect(refusal).toMatchObject({ status: 400, code: 'invalid_psbt', field: 'psbt' });
    expect(refusal.message).toMatch(/PSBT_IN_WITNESS_UTXO.*input 0/);
  });

  it('unknown members and other types', async () => {
    for (const verb of OF_A_PSBT) {
      const refusal = await refused(verb, { psbt, ...withKey(verb), surprise: 1 });
      expect([refusal.status, refusal.field], verb).toEqual([400, 'surprise']);
      expect((await refused(verb, 'text=1', { headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    }
  });

  it('and takes hex, and spaces around the text', async () => {
    const hex = Buffer.from(psbt, 'base64').toString('hex');
    for (const text of [hex, hex.toUpperCase(), ` ${psbt}\n`])
      expect((await ok('decode', { psbt: text })).psbt).toBe(psbt);
  });
});

describe('sign refuses', () => {
  const KEYS: readonly [string, unknown, RegExp, number?][] = [
    ['none', undefined, /required/],
    ['an empty one', '', /must not be empty/],
    ['a number', 7, /string/],
    ['words', 'correct horse battery staple', /private key to sign with is WIF/],
    ['a long text', 'a'.repeat(601), /private key/],
    ['zero', '0'.repeat(64), /zero/],
    ['the order of the curve', 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', /order/],
    ['a mistyped WIF', 'cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcB', /mistyped/],
    ["another network's WIF", 'KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn', /mainnet/],
    [
      'an extended public key',
      'tpubDDCEUa93989u7mn1gzUY5gMm3b8ASiYuQjsGBRwDUBbGm5Kp3KpNHavgwHXgx6pqyCviGXcBzsNDous6opP8AzN9x17NxCYfNbQBWVuYyrS',
      /public/,
    ],
  ];

  it.each(KEYS)('%s as key, without repeating it', async (_, key, says) => {
    const answer = await ask('sign', { psbt, key });
    const { details, message } = answer.body.error;
    expect([answer.status, details.field], message).toEqual([400, 'key']);
    expect(message).toMatch(says);
    if (typeof key === 'string' && key.length > 8) expect(answer.text).not.toContain(key);
  });

  it('a key that signs nothing, saying why', async () => {
    const refusal = await refused('sign', { psbt, key: '11'.repeat(32) });
    expect(refusal).toMatchObject({ status: 422, code: 'nothing_signed', field: 'psbt' });
    expect(refusal.message).toMatch(/input 0: /);
  });

  it('hash types that leave the transaction open, unless they are allowed by name', async () => {
    const open = await ok('create', create({ ...witnessUtxo(script), sighash_type: 'NONE' }));
    expect(open.inputs[0].sighash_type).toBe('NONE');
    expect(await refused('sign', { psbt: open.psbt, key: KEY })).toMatchObject({ status: 422, code: 'unsafe_to_sign' });
    const allowed = await ok('sign', { psbt: open.psbt, key: KEY, sighash_types_allowed: ['NONE'] });
    expect(allowed.inputs[0].signatures[0]).toMatchObject({ sighash_type: 'NONE', valid: true });
    expect(allowed.warnings.join()).toMatch(/hash type NONE/);
    expect(await refused('sign', { psbt, key: KEY, sighash_types_allowed: ['MOST'] })).toMatchObject({
      status: 400,
      field: 'sighash_types_allowed[0]',
    });
  });

  it('a PSBT whose outputs are above its inputs, and one whose scripts are not those paid to', async () => {
    const above = (await ok('create', create(witnessUtxo(script), { address: ELSEWHERE, amount: '2' }))).psbt;
    expect(await refused('sign', { psbt: above, key: KEY })).toMatchObject({ status: 422, code: 'unsafe_to_sign' });
    const other = (await ok('create', create({ ...witnessUtxo(`0020${'ab'.repeat(32)}`), witness_script: '51' }))).psbt;
    expect(await refused('sign', { psbt: other, key: KEY })).toMatchObject({ status: 422, code: 'unsafe_to_sign' });
  });
});

describe('the other roles refuse', () => {
  it('to extract what is not final, naming the inputs', async () => {
    const refusal = await refused('extract', { psbt: signed });
    expect(refusal).toMatchObject({ status: 422, code: 'psbt_incomplete', field: 'psbt' });
    expect(refusal.message).toMatch(/not final: 0/);
  });

  it('to hand over a transaction that pays above 10,000 sat/vB, unless told that it is meant', async () => {
    const tooHigh = { status: 422, code: 'fee_too_high', field: 'max_fee_rate' };
    expect(await refused('finalize', { psbt: signed })).toMatchObject(tooHigh);
    const { psbt: final, transaction } = await ok('finalize', { psbt: signed, max_fee_rate: 'none' });
    expect(await refused('extract', { psbt: final })).toMatchObject(tooHigh);
    expect((await ok('extract', { psbt: final, max_fee_rate: 'none' })).transaction).toBe(transaction);
  });

  it('to extract above max_fee_rate', async () => {
    const { psbt: final } = await ok('finalize', { psbt: signed, max_fee_rate: 'none' });
    expect(await refused('extract', { psbt: final, max_fee_rate: '100' })).toMatchObject({
      status: 422,
      code: 'fee_too_high',
      field: 'max_fee_rate',
    });
    expect(await refused('extract', { psbt: final, max_fee_rate: 'low' })).toMatchObject({
      status: 400,
      field: 'max_fee_rate',
    });
    const modest = (await ok('create', create(witnessUtxo(script), { address: ELSEWHERE, amount: '0.99999' }))).psbt;
    const done = await ok('finalize', { psbt: (await ok('sign', { psbt: modest, key: KEY })).psbt });
    expect((await ok('extract', { psbt: done.psbt, max_fee_rate: '100' })).txid).toBe(done.txid);
  });

  it('to extract under max_fee_rate by amounts that nothing proves', async () => {
    const { psbt: final } = await ok('finalize', { psbt: signed, max_fee_rate: 'none' });
    const claiming = (text: string, change: (input: PsbtMap) => void): string => {
      const changed = psbtFromText(text) as PsbtV2;
      const input = (changed.inputs[0] as PsbtMap).clone();
      change(input);
      return psbtToBase64({ ...changed, inputs: [input] });
    };
    const spent = (claimed: bigint, scriptPubKey: string) => (input: PsbtMap) =>
      setWitnessUtxo(input, { amountSats: claimed, scriptPubKey });
    // The signature is for an input of 1 BTC, of which half goes to the fee.
    const lying = claiming(final, spent(50_001_000n, script));
    // Nothing that is spent without a witness commits to an amount.
    const legacy = claiming(lying, (input) => {
      spent(50_001_000n, '7551')(input);
      input.remove(INPUT.FINAL_SCRIPTWITNESS);
      input.set(INPUT.FINAL_SCRIPTSIG, Buffer.from('51', 'hex'));
    });
    for (const unproved of [lying, legacy]) {
      expect(await ok('extract', { psbt: unproved })).toMatchObject({ fee: '0.00001000', fee_verified: false });
      const refusal = await refused('extract', { psbt: unproved, max_fee_rate: '100' });
      expect(refusal).toMatchObject({ status: 422, code: 'psbt_incomplete', field: 'psbt' });
      expect(refusal.message).toMatch(/fee is not proved: .* input 0/);
    }
  });

  it('nothing of finalize: it says what is lacking', async () => {
    const answer = await ok('finalize', { psbt });
    expect(answer).toMatchObject({ complete: false, txid: null, transaction: null, vsize: null });
    expect(answer.not_final).toMatchObject([{ index: 0 }]);
  });

  it('updates that are of no input, or of another transaction', async () => {
    expect(await refused('update', { psbt, inputs: [{ index: 1 }] })).toMatchObject({
      status: 400,
      field: 'inputs[0].index',
    });
    expect(await refused('update', { psbt, outputs: [{ index: 9 }] })).toMatchObject({
      status: 400,
      field: 'outputs[0].index',
    });
    expect(await refused('update', { psbt, inputs: [{}] })).toMatchObject({ status: 400, field: 'inputs[0].index' });
    expect(
      await refused('update', {
        psbt,
        inputs: [{ index: 0, non_witness_utxo: OTHER_TRANSACTION }],
      }),
    ).toMatchObject({ status: 400, code: 'invalid_transaction', field: 'inputs[0].non_witness_utxo' });
    expect(await refused('update', { psbt: signed, inputs: [{ index: 0, sequence: 1 }] })).toMatchObject({
      status: 422,
      code: 'psbt_not_modifiable',
    });
    expect(await refused('update', { psbt, from_chain: true })).toMatchObject({ status: 404, field: 'from_chain' });
  });

  it('descriptors that are none, private or of another network, by number', async () => {
    const descriptors = (text: string) => ({ psbt, descriptors: [`addr(${ELSEWHERE})`, text] });
    for (const verb of ['decode', 'verify', 'update']) {
      expect(await refused(verb, descriptors('nonsense'))).toMatchObject({ status: 400, field: 'descriptors[1]' });
      const secret = `wpkh(cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA)`;
      const refusal = await refused(verb, descriptors(secret));
      expect([refusal.status, refusal.field], refusal.message).toEqual([400, 'descriptors[1]']);
      expect(refusal.message).not.toContain('cMahea7');
    }
    expect(await refused('decode', { psbt, descriptors: [5] })).toMatchObject({ status: 400, field: 'descriptors[0]' });
    expect(await refused('update', { psbt, descriptors: [`addr(${ELSEWHERE})`], range: [5, 1] })).toMatchObject({
      status: 400,
      field: 'range',
    });
  });

  it('no PSBTs at all, or too many', async () => {
    for (const verb of ['join', 'combine']) {
      expect(await refused(verb, { psbts: [] })).toMatchObject({ status: 400, field: 'psbts' });
      expect(await refused(verb, { psbts: new Array(101).fill(psbt) })).toMatchObject({ status: 400, field: 'psbts' });
      expect(await refused(verb, { psbts: [1] })).toMatchObject({ status: 400, field: 'psbts[0]' });
    }
  });

  it('to migrate to other versions', async () => {
    expect(await refused('migrate', { psbt, target: 1 })).toMatchObject({ status: 400, field: 'target' });
  });

  it('frames in other ways', async () => {
    expect(await refused('frames', { psbt, format: 'gif' })).toMatchObject({ status: 400, field: 'format' });
    expect(await refused('frames', { psbt, image: 'jpeg' })).toMatchObject({ status: 400, field: 'image' });
    expect(await refused('frames', { psbt, max_fragment_length: 5 })).toMatchObject({
      status: 400,
      field: 'max_fragment_length',
    });
    expect(await refused('frames', { psbt, max_qr_version: 41 })).toMatchObject({
      status: 400,
      field: 'max_qr_version',
    });
    expect(await refused('scan', { frames: [] })).toMatchObject({ status: 400, field: 'frames' });
    expect(await refused('scan', { frames: ['hello'] })).toMatchObject({ status: 400, field: 'frames[0]' });
    expect(await refused('scan', { frames: ['B$2P0100MZXW6YTB'] })).toMatchObject({
      status: 400,
      code: 'invalid_psbt',
      field: 'frames',
    });
  });
});

describe('whoever may not', () => {
  it('sign, may read', async () => {
    const viewer = await service.key({ role: 'viewer', scopes: ['*'] });
    const reader = await service.key({ role: 'operator', scopes: ['psbts:read'] });
    const stranger = await service.key({ role: 'admin', scopes: ['wallets:write'] });
    for (const apiKey of [viewer, reader]) {
      expect((await refused('sign', { psbt, key: KEY }, { apiKey })).status).toBe(403);
      expect((await ok('decode', { psbt }, { apiKey })).psbt).toBe(psbt);
    }
    expect((await refused('decode', { psbt }, { apiKey: stranger })).status).toBe(403);
    expect((await refused('decode', { psbt }, { apiKey: null })).status).toBe(401);
    const writer = await service.key({ role: 'operator', scopes: ['psbts:write'] });
    expect((await ok('sign', { psbt, key: KEY }, { apiKey: writer })).signed_inputs).toEqual([0]);
  });

  it('GET what is asked by POST', async () => {
    const answer = await service.get('/api/psbt/v2/create');
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
  });
});
