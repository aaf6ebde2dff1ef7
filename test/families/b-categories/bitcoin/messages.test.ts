import { Transaction } from 'bitcoinjs-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ecc } from '../../../../src/core/keys/ecc.ts';
import { toSpend, UNSPENDABLE_SCRIPT } from '../../../../src/core/messages/virtual-transactions.ts';
import { psbtFromText, psbtToBase64 } from '../../../../src/core/psbt/codec/psbt-text.ts';
import { createPsbt } from '../../../../src/core/psbt/construction/create-psbt.ts';
import { finalizePsbt } from '../../../../src/core/psbt/finalizing/finalize-psbt.ts';
import type { PsbtV2 } from '../../../../src/core/psbt/psbt.ts';
import { signPsbt } from '../../../../src/core/psbt/signing/sign-psbt.ts';
import { signerFromKeyText } from '../../../../src/core/psbt/signing/signers.ts';
import { type Json, startTestApp, type TestApp } from '../../../builders/app.ts';
import { cosigner } from '../../../builders/cosigner.ts';
import { p2pkh, p2shP2wpkh, p2tr, p2wpkh } from '../../../builders/script-forms.ts';
import { noteSecret } from '../../../secrets/collected.ts';

const KEY = '5d'.repeat(32);
noteSecret('message key', KEY);
const POINT = ecc.pointFromScalar(Buffer.from(KEY, 'hex')) as Uint8Array;
const ADDRESS = {
  p2pkh: p2pkh(POINT, 'regtest').address,
  p2wpkh: p2wpkh(POINT, 'regtest').address,
  nested: p2shP2wpkh(POINT, 'regtest').address,
  p2tr: p2tr(POINT, 'regtest').address,
};
const MESSAGE = 'Ashlar: äöü 测试 😄';
const tools = { ecc, randomBytes: (size: number) => Buffer.alloc(size, 1) };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const sign = (body: Json) => app.post('/api/v1/bitcoin/messages/sign', { message: MESSAGE, key: KEY, ...body });
const verify = async (body: Json): Promise<Json> =>
  (await app.post('/api/v1/bitcoin/messages/verify', { message: MESSAGE, ...body })).body;

describe('messages', () => {
  it.each([
    ['p2pkh', undefined, 'full', 'ful'],
    ['p2pkh', 'legacy', 'legacy', ''],
    ['p2wpkh', undefined, 'simple', 'smp'],
    ['p2wpkh', 'full', 'full', 'ful'],
    ['nested', undefined, 'full', 'ful'],
    ['p2tr', undefined, 'simple', 'smp'],
    ['p2tr', 'full', 'full', 'ful'],
  ] as const)('are signed for a %s address (format asked for: %s) and verified', async (kind, asked, format, prefix) => {
    const address = ADDRESS[kind];
    const signed = await sign({ address, ...(asked && { format: asked }) });
    expect(signed.status).toBe(200);
    expect(signed.body).toEqual({ address, format, signature: expect.stringMatching(new RegExp(`^${prefix}`)) });
    const { signature } = signed.body;
    expect(await verify({ address, signature })).toEqual({
      valid: true,
      state: 'valid',
      format,
      reason: null,
      script_error: null,
      valid_at: format === 'legacy' ? null : { locktime: 0, sequence: 0 },
      claimed_outputs: [],
    });
    expect(await verify({ address, signature, message: `${MESSAGE}.` })).toMatchObject({
      valid: false,
      state: 'invalid',
    });
    const other = p2wpkh(ecc.pointFromScalar(new Uint8Array(32).fill(9)) as Uint8Array, 'regtest').address;
    expect(await verify({ address: other, signature })).toMatchObject({ valid: false, state: 'invalid' });
  });

  it('without prefix are simple ones', async () => {
    const { signature } = (await sign({ address: ADDRESS.p2tr })).body;
    expect(await verify({ address: ADDRESS.p2tr, signature: signature.slice(3) })).toMatchObject({
      valid: true,
      format: 'simple',
    });
  });

  it("with BIP137's header bytes are verified for segwit addresses, and called so", async () => {
    const { signature } = (await sign({ address: ADDRESS.p2pkh, format: 'legacy' })).body;
    const raised = (by: number) => {
      const bytes = Buffer.from(signature, 'base64');
      bytes[0]! += by;
      return bytes.toString('base64');
    };
    expect(await verify({ address: ADDRESS.p2wpkh, signature: raised(8) })).toMatchObject({
      valid: true,
      format: 'bip137',
    });
    expect(await verify({ address: ADDRESS.nested, signature: raised(4) })).toMatchObject({
      valid: true,
      format: 'bip137',
    });
    expect(await verify({ address: ADDRESS.p2wpkh, signature })).toMatchObject({ valid: false, format: 'legacy' });
    expect(await verify({ address: ADDRESS.p2pkh, signature: raised(12) })).toMatchObject({ valid: false });
  });

  it.each([
    ['not base64!', 'the signature is not base64'],
    ['smp', 'the signature is empty'],
    ['smpAA==', 'Witness program was passed an empty witness|Witness program hash mismatch'],
    ['smp/////w==', 'witness stack'],
    ['fulAA==', 'ends within'],
    ['pofAA==', '.'],
    ['AQEB', '.'],
  ])('%s is answered as invalid, with the reason', async (signature, reason) => {
    const answer = await verify({ address: ADDRESS.p2wpkh, signature });
    expect(answer).toMatchObject({ valid: false, state: 'invalid', valid_at: null, claimed_outputs: [] });
    expect(answer.reason).toMatch(new RegExp(reason));
  });

  it('whose to_sign has a version of the future are inconclusive, and one with other outputs is invalid', async () => {
    const { signature } = (await sign({ address: ADDRESS.p2wpkh, format: 'full' })).body;
    const changed = (change: (tx: Transaction) => void) => {
      const tx = Transaction.fromBuffer(Buffer.from(signature.slice(3), 'base64'));
      change(tx);
      return `ful${Buffer.from(tx.toBuffer()).toString('base64')}`;
    };
    expect(await verify({ address: ADDRESS.p2wpkh, signature: changed(() => {}) })).toMatchObject({ valid: true });
    const paying = changed((tx) => {
      tx.outs[0]!.value = 1n;
    });
    expect((await verify({ address: ADDRESS.p2wpkh, signature: paying })).reason).toMatch(/exactly one output/);
    const twoInputs = changed((tx) => tx.addInput(new Uint8Array(32).fill(3), 0));
    expect((await verify({ address: ADDRESS.p2wpkh, signature: twoInputs })).reason).toMatch(/proof of funds/);
  });
});

describe('mistakes', () => {
  it.each([
    [{ address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' }, 'address'],
    [{ address: 'nonsense' }, 'address'],
    [{ address: '' }, 'address'],
    [{ address: ADDRESS.p2wpkh, key: 'nonsense' }, 'key'],
    [{ address: ADDRESS.p2wpkh, key: '00'.repeat(32) }, 'key'],
    [{ address: ADDRESS.p2wpkh, key: '11'.repeat(32) }, 'key'],
    [{ address: ADDRESS.p2wpkh, format: 'legacy' }, 'format'],
    [{ address: ADDRESS.nested, format: 'simple' }, 'format'],
    [{ address: ADDRESS.p2wpkh, format: 'short' }, 'format'],
    [{ address: ADDRESS.p2wpkh, message: 5 }, 'message'],
  ])('%j is refused, naming the field', async (body, field) => {
    const answer = await sign(body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.details.field).toBe(field);
    expect(JSON.stringify(answer.body)).not.toContain(KEY);
  });

  it('half a surrogate pair, which has no UTF-8, is refused', async () => {
    expect((await sign({ address: ADDRESS.p2wpkh, message: 'a\ud800' })).status).toBe(400);
  });
});

describe('of wallets', () => {
  const wallet = async (type: string, more: Json = {}) => {
    const body = { name: `messages ${type}`, type, backup_type: 'none', ...more };
    const { wallet_id } = (await app.post('/api/v1/wallets', body)).body;
    const { address } = (await app.post(`/api/v1/wallets/${wallet_id}/addresses`, {})).body;
    return { wallet_id: wallet_id as string, address: address as string };
  };

  it.each(['segwit', 'taproot', 'nested-segwit', 'legacy'])('%s, signed with its own keys', async (type) => {
    const { wallet_id, address } = await wallet(type);
    const signed = await app.post(`/api/v1/wallets/${wallet_id}/messages`, { address, message: MESSAGE });
    expect(signed.status).toBe(200);
    expect(signed.body.psbt).toBeNull();
    const { signature } = signed.body;
    expect(await verify({ address, signature })).toMatchObject({ valid: true, format: signed.body.format });
    const audit = (await app.get('/api/v1/compliance/audit?limit=20')).body;
    expect(
      (audit.data as Json[]).some((row) => row.operation === 'message.sign-with-wallet' && row.target === wallet_id),
    ).toBe(true);
  });

  it('in legacy form are what signmessage makes, where the wallet has the P2PKH key, and refused elsewhere', async () => {
    const { wallet_id, address } = await wallet('legacy');
    const made = await app.post(`/api/v1/wallets/${wallet_id}/messages`, {
      address,
      message: MESSAGE,
      format: 'legacy',
    });
    expect(made).toMatchObject({ status: 200, body: { format: 'legacy', psbt: null } });
    expect(Buffer.from(made.body.signature, 'base64')).toHaveLength(65);
    const verdict = { valid: true, format: 'legacy' };
    expect(await verify({ address, signature: made.body.signature })).toMatchObject(verdict);
    const segwit = await wallet('segwit');
    const request = { address: segwit.address, message: MESSAGE, format: 'legacy' };
    const refusal = await app.post(`/api/v1/wallets/${segwit.wallet_id}/messages`, request);
    expect([refusal.status, refusal.body.error.details.field]).toEqual([400, 'format']);
  });

  it('may hold any character, NUL too; addresses may not', async () => {
    const message = 'a\0b';
    const { wallet_id, address } = await wallet('segwit');
    const { body } = await app.post(`/api/v1/wallets/${wallet_id}/messages`, { address, message });
    const check = (text: string) =>
      app.post('/api/v1/bitcoin/messages/verify', { address, message: text, signature: body.signature });
    expect((await check(message)).body).toMatchObject({ valid: true });
    expect((await check('ab')).body).toMatchObject({ valid: false });
    const wrong = await app.post(`/api/v1/wallets/${wallet_id}/messages`, { address: `${address}\0`, message });
    expect([wrong.status, wrong.body.error.details.field]).toEqual([400, 'address']);
  });

  it('of several signers are a PSBT that says the message, until the others have signed', async () => {
    const party = cosigner('messages');
    const { wallet_id, address } = await wallet('multisig', { required: 2, cosigners: [party.multisigKey] });
    const { body } = await app.post(`/api/v1/wallets/${wallet_id}/messages`, { address, message: MESSAGE });
    expect(body).toMatchObject({ signature: null, format: 'simple' });
    const { psbt, complete } = finalizePsbt(psbtFromText(party.sign(body.psbt)) as PsbtV2);
    expect(complete).toBe(true);
    const extracted = (await app.post('/api/psbt/v2/extract', { psbt: psbtToBase64(psbt) })).body;
    const signature = `ful${Buffer.from(extracted.transaction, 'hex').toString('base64')}`;
    expect(await verify({ address, signature })).toMatchObject({ valid: true, format: 'full' });
  });

  it("are refused for addresses that are not the wallet's, and wallets without keys", async () => {
    const { wallet_id } = await wallet('segwit');
    const post = (id: string, body: Json) => app.post(`/api/v1/wallets/${id}/messages`, { message: MESSAGE, ...body });
    const foreign = await post(wallet_id, { address: ADDRESS.p2wpkh });
    expect([foreign.status, foreign.body.error.details.field]).toEqual([404, 'address']);
    const missing = await post('wal_0000000000000000000000', { address: ADDRESS.p2wpkh });
    expect(missing.status).toBe(404);
    const legacy = await post(wallet_id, { address: ADDRESS.p2pkh, format: 'legacy' });
    expect([legacy.status, legacy.body.error.details.field]).toEqual([404, 'address']);
    const descriptor = `addr(${ADDRESS.p2wpkh})`;
    const watched = await app.post('/api/v1/wallets', {
      name: 'w',
      type: 'watch-only',
      backup_type: 'none',
      descriptor,
    });
    expect(watched.status).toBe(201);
    const cold = await post(watched.body.wallet_id, { address: ADDRESS.p2wpkh });
    expect([cold.status, cold.body.error.details.code]).toEqual([422, 'signing_unavailable']);
  });
});

describe('proofs of funds', () => {
  /** `claims`: outputs of the key's P2WPKH script, whether or not there are such. */
  function proof(claims: { txid: string; vout: number; amountSats: bigint }[], locktime = 0): string {
    const script = Buffer.from(p2wpkh(POINT, 'regtest').scriptPubKey, 'hex');
    const spends = toSpend(script, Buffer.from(MESSAGE));
    const signer = signerFromKeyText(KEY, 'regtest');
    const psbt = createPsbt({
      version: 2,
      fallbackLocktime: locktime,
      inputs: [
        { outpoint: { txid: spends.txid, vout: 0 }, sequence: 7, witnessUtxo: { amountSats: 0n, script } },
        ...claims.map(({ txid, vout, amountSats }) => ({
          outpoint: { txid: txid as never, vout },
          sequence: 9,
          witnessUtxo: { amountSats, script },
        })),
      ],
      outputs: [{ amountSats: 0n, script: UNSPENDABLE_SCRIPT }],
    });
    const final = finalizePsbt(signPsbt(psbt, signer, tools).psbt);
    signer.dispose();
    return `pof${psbtToBase64(final.psbt)}`;
  }

  it('list what they claim, and whether the chain has it unspent', async () => {
    const mined = await app.post('/api/v1/bitcoin/blocks', { count: 1, address: ADDRESS.p2wpkh });
    const { hash } = mined.body.data[0];
    const block = (await app.get(`/api/v1/bitcoin/blocks/${hash}/transactions`)).body;
    const [coinbase] = block.data as Json[];
    const real = { txid: coinbase!.txid as string, vout: 0, amountSats: 5_000_000_000n };
    const invented = { txid: '77'.repeat(32), vout: 3, amountSats: 5_000n };
    const answer = await verify({ address: ADDRESS.p2wpkh, signature: proof([real, invented], 100) });
    expect(answer).toMatchObject({
      valid: true,
      format: 'proof-of-funds',
      valid_at: { locktime: 100, sequence: 7 },
      claimed_outputs: [
        { txid: real.txid, vout: 0, amount: '50.00000000', sequence: 9, unspent: true },
        { txid: invented.txid, vout: 3, amount: '0.00005000', unspent: false },
      ],
    });
    const exaggerated = await verify({
      address: ADDRESS.p2wpkh,
      signature: proof([{ ...real, amountSats: 6_000_000_000n }]),
    });
    expect(exaggerated).toMatchObject({ valid: true, claimed_outputs: [{ amount: '60.00000000', unspent: false }] });
  });

  it('claim nothing else once a byte of them is changed', async () => {
    const claim = { txid: '77'.repeat(32), vout: 3, amountSats: 5_000n };
    const signature = proof([claim]);
    const { claimed_outputs } = await verify({ address: ADDRESS.p2wpkh, signature });
    expect(await verify({ address: ADDRESS.p2wpkh, signature, message: 'other' })).toMatchObject({ valid: false });
    const bytes = Buffer.from(signature.slice(3), 'base64');
    for (let at = 5; at < bytes.length; at += 7) {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= 0x10;
      const answer = await verify({ address: ADDRESS.p2wpkh, signature: `pof${damaged.toString('base64')}` });
      // Not every byte of a PSBT is signed, but none of what is claimed can change.
      if (answer.valid) expect(answer.claimed_outputs).toEqual(claimed_outputs);
      else expect(answer.claimed_outputs).toEqual([]);
    }
  });
});
