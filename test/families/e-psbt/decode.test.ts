/** What decode says for people, and what verify finds. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/core/hashes.ts';
import { type Json, startTestApp, type TestApp } from '../../builders/app.ts';
import { A, B, C, multisig } from '../../core/psbt/spend-cases.ts';
import { noteSecret } from '../../secrets/collected.ts';
import { ELSEWHERE, psbtHttp } from './psbt-http.ts';

let service: TestApp;
const { ok, refused } = psbtHttp(() => service);
beforeAll(async () => {
  service = await startTestApp();
  for (const { hex } of [A, B, C]) noteSecret('key', hex);
});
afterAll(() => service.close());

const TPUB =
  'tpubDDCEUa93989u7mn1gzUY5gMm3b8ASiYuQjsGBRwDUBbGm5Kp3KpNHavgwHXgx6pqyCviGXcBzsNDous6opP8AzN9x17NxCYfNbQBWVuYyrS';
const WALLET = `wpkh([d34db33f/84h/1h/0h]${TPUB}/<0;1>/*)`;
const coin = (digit: string, more: Json = {}) => ({ txid: digit.repeat(64), vout: 0, ...more });
const to = (amount: string, more: Json = {}) => ({ address: ELSEWHERE, amount, ...more });
const witnessScript = multisig(2, A.point, B.point, C.point);
const shared = { script: `0020${sha256(witnessScript).toString('hex')}`, amount: '1' };
const sharedInput = {
  ...coin('a'),
  witness_utxo: shared,
  witness_script: witnessScript.toString('hex'),
  bip32_derivation: [
    { pubkey: A.point.toString('hex'), fingerprint: 'aaaaaaaa', path: "m/48'/1'/0'/2'/0/3" },
    { pubkey: B.point.toString('hex'), fingerprint: 'bbbbbbbb', path: 'm/48h/1h/0h/2h/0/3' },
  ],
};

/** The wallet's address of a branch and index: what the service derives for a watch-only wallet. */
async function scriptOf(branch: 0 | 1, index: number): Promise<string> {
  const { openBranch } = await import('../../../src/core/wallets/descriptor-branch.ts');
  return openBranch(WALLET.replace('<0;1>', String(branch)), 'regtest').scriptAt(index).scriptPubKey;
}

it('a hash type that is none is refused by one sentence', async () => {
  const { body } = await service.post('/api/psbt/v2/create', {
    inputs: [coin('a', { sighash_type: [] })],
    outputs: [],
  });
  expect(body.error.details).toMatchObject({ field: 'inputs[0].sighash_type' });
  expect(body.error.details.reason.match(/must be/g)).toHaveLength(1);
});

describe('decode', () => {
  it('has the transaction without signatures, as signature hashes of taproot take it', async () => {
    const script = `5120${A.point.subarray(1).toString('hex')}`;
    const prevouts = [{ script, amount: '1' }];
    const created = await ok('create', { inputs: [coin('a', { witness_utxo: prevouts[0] })], outputs: [to('0.9')] });
    const { psbt, unsigned_transaction: transaction, unsigned_txid: txid } = await ok('decode', { psbt: created.psbt });
    expect(transaction).toMatch(new RegExp(`^0200000001${'aa'.repeat(32)}00000000`));
    const read = await service.post('/api/v1/bitcoin/transactions/decode', { transaction });
    expect(read.body.txid).toBe(txid);
    const hash = await service.post('/api/v1/taproot/signature-hashes', { transaction, prevouts });
    expect(hash.status, hash.text).toBe(200);
    expect((await ok('finalize', { psbt })).unsigned_transaction).toBe(transaction);
    expect((await ok('create', { inputs: [], outputs: [to('0.9')] })).unsigned_transaction).toBeNull();
  });

  it('says who has signed, who has not, and what is missing', async () => {
    const { psbt } = await ok('create', { inputs: [sharedInput], outputs: [to('0.9')] });
    const [before] = (await ok('decode', { psbt })).inputs;
    expect(before).toMatchObject({
      script_type: 'p2wsh',
      amount: '1.00000000',
      amount_verified: false,
      required_signatures: 2,
      signatures: [],
      lacks: '2 of 2 signatures',
      finalized: false,
    });
    expect(before.derivations[0]).toEqual({
      pubkey: A.point.toString('hex'),
      fingerprint: 'aaaaaaaa',
      path: 'm/48h/1h/0h/2h/0/3',
      leaf_hashes: null,
    });
    const [after] = (await ok('sign', { psbt, key: A.hex })).inputs;
    expect(after.signatures).toEqual([
      { pubkey: A.point.toString('hex'), fingerprint: 'aaaaaaaa', leaf_hash: null, sighash_type: 'ALL', valid: true },
    ]);
    expect(after.lacks).toBe('1 of 2 signatures');
    const missing = Object.fromEntries(after.missing.map((one: Json) => [one.pubkey, one]));
    expect(missing[B.point.toString('hex')]).toMatchObject({ fingerprint: 'bbbbbbbb', path: 'm/48h/1h/0h/2h/0/3' });
    expect(missing[C.point.toString('hex')]).toMatchObject({ fingerprint: null, path: null });
    expect(Object.keys(missing).length).toBe(2);
  });

  it('finds a signature that is not valid', async () => {
    const make = async (amount: string) =>
      (await ok('create', { inputs: [sharedInput], outputs: [to(amount)] })).psbt as string;
    const signed = await ok('sign', { psbt: await make('0.9'), key: A.hex });
    const bytes = Buffer.from(signed.psbt, 'base64');
    // The signature stays, the output's amount is another.
    const [was, is] = ['0.9', '0.8'].map((amount) => {
      const sats = Buffer.alloc(8);
      sats.writeBigInt64LE(BigInt(Number(amount) * 10) * 10_000_000n);
      return sats;
    }) as [Buffer, Buffer];
    bytes.set(is, bytes.lastIndexOf(was));
    const decoded = await ok('decode', { psbt: bytes.toString('base64') });
    expect(decoded.outputs[0].amount).toBe('0.80000000');
    expect(decoded.inputs[0].signatures[0].valid).toBe(false);
    expect(decoded.inputs[0].lacks).toBe('2 of 2 signatures');
    expect(decoded.warnings.join()).toMatch(/input 0: the signature of 0[23]\w+ is not valid/);
    const verified = await ok('verify', { psbt: bytes.toString('base64') });
    expect(verified.valid).toBe(false);
    expect((await ok('finalize', { psbt: bytes.toString('base64') })).complete).toBe(false);
  });

  it('proves change by descriptors, by the index that is claimed and by looking', async () => {
    const claim = (index: number) => ({
      bip32_derivation: [{ pubkey: A.point.toString('hex'), fingerprint: 'd34db33f', path: `m/84h/1h/0h/1/${index}` }],
    });
    const { psbt } = await ok('create', {
      inputs: [coin('b', { witness_utxo: { script: await scriptOf(0, 7), amount: '5' } })],
      outputs: [
        to('1'),
        { script: await scriptOf(1, 5000), amount: '1', ...claim(5000) },
        { script: await scriptOf(1, 42), amount: '1' },
        { script: await scriptOf(0, 3), amount: '1' },
        to('0.5', claim(8)),
      ],
    });
    const blind = await ok('decode', { psbt });
    expect(blind.outputs.map(({ change }: Json) => change)).toEqual([null, 'unproved', null, null, 'unproved']);
    expect(blind.warnings.join()).not.toMatch(/change/);
    const seeing = await ok('decode', { psbt, descriptors: [`addr(${ELSEWHERE})`.replace(ELSEWHERE, OTHER), WALLET] });
    expect(seeing.outputs.map(({ change, derived_by }: Json) => [change, derived_by])).toEqual([
      [null, null],
      ['proved', { descriptor: 1, branch: 'internal', index: 5000 }],
      ['proved', { descriptor: 1, branch: 'internal', index: 42 }],
      ['proved', { descriptor: 1, branch: 'external', index: 3 }],
      ['unproved', null],
    ]);
    expect(seeing.inputs[0].derived_by).toEqual({ descriptor: 1, branch: 'external', index: 7 });
    expect(seeing.warnings.filter((warning: string) => /no descriptor proves/.test(warning))).toEqual([
      expect.stringMatching(/^output 4: /),
    ]);
  });

  it('reads a PSBT whose locktimes conflict', async () => {
    const locked = (digit: string, lock: Json) => coin(digit, lock);
    const [height, time] = await Promise.all(
      [{ required_height_locktime: 100 }, { required_time_locktime: 600_000_000 }].map((lock, at) =>
        ok('create', { inputs: [locked(String(at + 1), lock)], outputs: [] }),
      ),
    );
    // The two inputs' maps in one PSBT: no role of ours makes it.
    const tail = (psbt: string) => Buffer.from(psbt, 'base64').toString('hex').split('01fb040200000000')[1] as string;
    const head = (Buffer.from(height.psbt, 'base64').toString('hex').split('01fb040200000000')[0] as string).replace(
      '01040101',
      '01040102',
    );
    const psbt = `${head}01fb040200000000${tail(height.psbt)}${tail(time.psbt)}`;
    const decoded = await ok('decode', { psbt });
    expect(decoded).toMatchObject({ unsigned_txid: null, unsigned_transaction: null, locktime: null, complete: false });
    expect(decoded.fee).toBeNull();
    expect(decoded.warnings.join()).toMatch(/one input requires a block height and another a time/);
    expect(await refused('sign', { psbt, key: A.hex })).toMatchObject({ status: 422, code: 'psbt_incomplete' });
    expect(await refused('migrate', { psbt, target: 0 })).toMatchObject({ status: 422, code: 'not_representable' });
  });

  it('warns of what somebody who signs should know', async () => {
    const warnings = async (body: Json) => (await ok('create', body)).warnings.join('\n') as string;
    const one = coin('c', { witness_utxo: shared, witness_script: witnessScript.toString('hex') });
    expect(await warnings({ inputs: [one], outputs: [to('0.3')] })).toMatch(
      /fee of 0\.70000000 BTC is more than all that is paid/,
    );
    expect(await warnings({ inputs: [one], outputs: [to('1.1')] })).toMatch(
      /outputs are 0\.10000000 BTC above the inputs/,
    );
    expect(await warnings({ inputs: [one], outputs: [to('0.9'), to('0.00000100')] })).toMatch(/output 1: .* dust/);
    expect(await warnings({ inputs: [one], outputs: [to('0.9')] })).toMatch(
      /1 input comes without its previous transaction/,
    );
    expect(await warnings({ inputs: [one], outputs: [{ script: '6a0548656c6c6f', amount: '0.1' }] })).toMatch(
      /nobody can spend from/,
    );
    expect(await warnings({ inputs: [one], outputs: [{ script: 'ab', amount: '0.1' }] })).toMatch(/no standard form/);
    expect(await warnings({ inputs: [one], outputs: [to('0.9')], fallback_locktime: 9 })).toMatch(
      /locktime 9 has no effect/,
    );
    expect(await warnings({ inputs: [{ ...one, witness_script: '51' }], outputs: [to('0.9')] })).toMatch(
      /input 0: its witness script is not the one/,
    );
    expect(await warnings({ inputs: [{ ...one, sighash_type: 'ALL|ANYONECANPAY' }], outputs: [to('0.9')] })).toMatch(
      /ALL\|ANYONECANPAY lets others/,
    );
  });

  it('believes no amount of taproot less for lack of a previous transaction', async () => {
    const taproot = coin('d', { witness_utxo: { script: `5120${A.xOnly.toString('hex')}`, amount: '1' } });
    const decoded = await ok('create', { inputs: [taproot], outputs: [to('0.9')] });
    expect([decoded.fee, decoded.fee_verified, decoded.warnings]).toEqual(['0.10000000', false, []]);
  });
});

const OTHER = 'bcrt1q6z64a43mjgkcq0ul2znwneq3spghrlau9slefp';

describe('verify', () => {
  const verdicts = (answer: Json) =>
    answer.checks.map(({ check, input, output, verdict }: Json) => `${check} ${input ?? output ?? '-'} ${verdict}`);

  it('gives every check its verdict', async () => {
    const { psbt } = await ok('create', { inputs: [sharedInput, coin('9')], outputs: [to('0.9')] });
    const answer = await ok('verify', { psbt });
    expect(answer.valid).toBe(true);
    expect(verdicts(answer)).toEqual([
      'outpoints - passed',
      'locktime - passed',
      'fee - unknown',
      'utxo 0 passed',
      'scripts 0 passed',
      'utxo 1 unknown',
      'output 0 passed',
      'dust 0 passed',
    ]);
  });

  it('runs the scripts of final inputs', async () => {
    const { psbt } = await ok('create', { inputs: [sharedInput], outputs: [to('0.9')] });
    const signed = await Promise.all([A, C].map(({ hex }) => ok('sign', { psbt, key: hex })));
    const final = await ok('finalize', { psbt: (await ok('combine', { psbts: signed.map((one) => one.psbt) })).psbt });
    expect(verdicts(await ok('verify', { psbt: final.psbt }))).toContain('final 0 passed');
    const bytes = Buffer.from(final.psbt, 'base64');
    const script = bytes.indexOf(witnessScript);
    // A byte within the last signature's s, before its hash type and the script's length.
    bytes[script - 6] = (bytes[script - 6] as number) ^ 1;
    const mutated = await ok('verify', { psbt: bytes.toString('base64') });
    expect(mutated.valid).toBe(false);
    expect(mutated.checks.find(({ check }: Json) => check === 'final')).toMatchObject({ verdict: 'failed', input: 0 });
  });

  it('asks the chain where it is to', async () => {
    const [mined] = await service.simulated.mine(1, A_SCRIPT);
    await service.simulated.mine(100, '51');
    const { bytes } = (await service.simulated.block(mined?.hash as never)) as { bytes: Uint8Array };
    const { parseBlockTransactions } = await import('../../../src/core/blocks/block.ts');
    const txid = parseBlockTransactions(bytes)[0]?.txid;
    const check = async (amount: string, script = A_SCRIPT, vout = 0) => {
      const { psbt } = await ok('create', {
        inputs: [{ txid, vout, witness_utxo: { script, amount } }],
        outputs: [to('0.9')],
      });
      const answer = await ok('verify', { psbt, against_chain: true });
      return answer.checks.find((one: Json) => one.check === 'chain');
    };
    expect(await check('50')).toMatchObject({ verdict: 'passed', input: 0 });
    expect(await check('49')).toMatchObject({ verdict: 'failed', detail: 'it is of 50.00000000 BTC, not 49.00000000' });
    expect(await check('50', `5120${B.xOnly.toString('hex')}`)).toMatchObject({ verdict: 'failed' });
    expect(await check('50', A_SCRIPT, 1)).toMatchObject({
      verdict: 'failed',
      detail: expect.stringMatching(/does not exist/),
    });
  });

  const A_SCRIPT = `5120${A.xOnly.toString('hex')}`;
});
