/** Payments from MuSig2 wallets: two rounds through POST …/signatures, the service as the last participant. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INPUT } from '../../../../src/core/psbt/codec/key-types.ts';
import { psbtFromText, psbtToBase64 } from '../../../../src/core/psbt/codec/psbt-text.ts';
import type { PsbtV2 } from '../../../../src/core/psbt/psbt.ts';
import { type Json, startTestApp, type TestApp } from '../../../builders/app.ts';
import { cosigner } from '../../../builders/cosigner.ts';
import { outsider } from '../../../services/transactions/payments-setup.ts';

const PATH = '/api/v1/transactions';
const [alice, bob] = [cosigner('alice'), cosigner('bob')];
const keys = [alice, bob].map((party) => party.key(87, 1, 0));
/** Of the form of a nonce, and on no curve: x is above the field's prime. */
const OFF_CURVE = Buffer.concat([1, 2].map(() => Buffer.concat([Buffer.of(2), Buffer.alloc(32, 0xff)])));
let app: TestApp;
let wallet: Json;

async function funded(body: Json, coins = 6): Promise<Json> {
  const made = await app.post('/api/v1/wallets', { name: 'Board', backup_type: 'none', ...body });
  expect(made.status, made.text).toBe(201);
  for (let i = 0; i < coins; i++) {
    const { body: reserved } = await app.post(`/api/v1/wallets/${made.body.wallet_id}/addresses`);
    await app.post('/api/v1/bitcoin/blocks', { count: 1, address: reserved.address });
  }
  await app.simulated.mine(100, '51');
  await app.synced();
  return made.body;
}

beforeAll(async () => {
  app = await startTestApp();
  wallet = await funded({ type: 'multisig', script_type: 'musig', cosigners: keys }, 16);
});
afterAll(() => app.close());

async function waiting(from = wallet, amount = '0.00100000'): Promise<Json> {
  const recipients = [{ address: outsider('payee'), amount }];
  const answer = await app.post(PATH, { recipients, fee_rate: '2.5', rbf: true, wallet_id: from.wallet_id });
  expect(answer.status, answer.text).toBe(201);
  expect(answer.body.status).toBe('awaiting_signature');
  return answer.body;
}
const send = (txid: string, psbt: string, more = {}) => app.post(`${PATH}/${txid}/signatures`, { psbt }, more);
async function taken(txid: string, psbt: string): Promise<Json> {
  const answer = await send(txid, psbt);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}
const refused = async (txid: string, psbt: string): Promise<string> => {
  const answer = await send(txid, psbt);
  expect([409, 422], answer.text).toContain(answer.status);
  expect(answer.body.error.details.field).toBe('psbt');
  return `${answer.body.error.details.code}: ${answer.body.error.message}`;
};
const shares = (psbt: string, type: number): number[] =>
  (psbtFromText(psbt) as PsbtV2).inputs.map((input) => input.all(type).length);

describe('a payment from a MuSig2 wallet', () => {
  it('goes out after two rounds of the others; the service signs in between, as the last', async () => {
    const made = await waiting(wallet, '60.00000000');
    const inputs = shares(made.psbt, INPUT.MUSIG2_PARTICIPANT_PUBKEYS);
    expect(inputs.length).toBeGreaterThan(1);
    expect(shares(made.psbt, INPUT.MUSIG2_PUB_NONCE)).toEqual(inputs.map(() => 0));
    expect(made.musig_round).toBe('nonces');
    const [first, second] = [alice.nonces(made.psbt), bob.nonces(made.psbt)];
    const one = await taken(made.txid, first.psbt);
    expect(one.musig_round).toBe('nonces');
    expect(shares(one.psbt, INPUT.MUSIG2_PUB_NONCE)).toEqual(inputs.map(() => 1));
    const all = await taken(made.txid, second.psbt);
    expect(shares(all.psbt, INPUT.MUSIG2_PUB_NONCE)).toEqual(inputs.map(() => 3));
    expect(shares(all.psbt, INPUT.MUSIG2_PARTIAL_SIG)).toEqual(inputs.map(() => 1));
    const half = await taken(made.txid, second.sign(all.psbt));
    expect(half).toMatchObject({ status: 'awaiting_signature', musig_round: 'signatures' });
    const sent = await taken(made.txid, first.sign(all.psbt));
    expect(sent).toMatchObject({ status: 'broadcast', txid: made.txid, psbt: null, musig_round: null });
    expect(sent.vsize).toBeLessThanOrEqual(made.vsize);
    await app.simulated.mine(1, '51');
    await app.synced();
    expect((await app.get(`${PATH}/${made.txid}`)).body.status).toBe('confirmed');
  });

  it('without the service is put together from what all others send, at the same moment too', async () => {
    const foreign = await funded(
      { type: 'multisig', script_type: 'musig', own_key: false, required: 2, cosigners: keys },
      1,
    );
    const made = await waiting(foreign);
    const rounds = [alice, bob].map((party) => party.nonces(made.psbt));
    await Promise.all(rounds.map(({ psbt }) => taken(made.txid, psbt)));
    const { psbt } = (await app.get(`${PATH}/${made.txid}/psbt`)).body;
    const answers = await Promise.all(rounds.map((round) => taken(made.txid, round.sign(psbt))));
    expect(answers.map(({ status }) => status).sort()).toEqual(['awaiting_signature', 'broadcast']);
  });

  it('shows one share of the service, whoever asks at the same moment', async () => {
    const made = await waiting();
    const [first, second] = [alice.nonces(made.psbt), bob.nonces(made.psbt)];
    const answers = await Promise.all([
      send(made.txid, first.psbt),
      send(made.txid, second.psbt),
      send(made.txid, second.psbt),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    const { psbt } = (await app.get(`${PATH}/${made.txid}`)).body;
    expect(shares(psbt, INPUT.MUSIG2_PARTIAL_SIG)).toEqual([1]);
    await taken(made.txid, first.sign(psbt));
    expect((await taken(made.txid, second.sign(psbt))).status).toBe('broadcast');
  });

  it('takes a nonce once: not another in its place, nor for another payment', async () => {
    const made = await waiting();
    const given = alice.nonces(made.psbt);
    await taken(made.txid, given.psbt);
    expect(await refused(made.txid, given.psbt)).toMatch(/^nothing_signed/);
    expect(await refused(made.txid, alice.nonces(made.psbt).psbt)).toMatch(/another nonce .* stands/);
    // The same nonce in another payment, as a device does that was restored.
    const other = await waiting();
    const nonces = (psbt: string) => (psbtFromText(psbt) as PsbtV2).inputs[0]!.all(INPUT.MUSIG2_PUB_NONCE);
    const again = psbtFromText(alice.nonces(other.psbt).psbt) as PsbtV2;
    const [own] = again.inputs[0]!.all(INPUT.MUSIG2_PUB_NONCE);
    again.inputs[0]!.set(own!.type, nonces(given.psbt)[0]!.value, own!.keyData);
    expect(await refused(other.txid, psbtToBase64(again))).toMatch(/^already_exists/);
    expect((await app.get(`${PATH}/${other.txid}`)).body.psbt).toBe(other.psbt);
  });

  it("refuses nonces of the service's key, of strangers, and partial signatures that do not hold or come too early", async () => {
    const made = await waiting();
    const changed = (psbt: string, change: (input: PsbtV2['inputs'][0]) => void): string => {
      const read = psbtFromText(psbt) as PsbtV2;
      change(read.inputs[0]!);
      return psbtToBase64(read);
    };
    const given = alice.nonces(made.psbt);
    const [nonce] = (psbtFromText(given.psbt) as PsbtV2).inputs[0]!.all(INPUT.MUSIG2_PUB_NONCE);
    const other = (psbtFromText(bob.nonces(made.psbt).psbt) as PsbtV2).inputs[0]!.all(INPUT.MUSIG2_PUB_NONCE)[0]!;
    const [, participants] = (psbtFromText(made.psbt) as PsbtV2).inputs[0]!.entries.flatMap(({ type, value }) =>
      type === INPUT.MUSIG2_PARTICIPANT_PUBKEYS ? [type, value] : [],
    ) as [number, Uint8Array];
    const own = [0, 33, 66]
      .map((at) => participants.subarray(at, at + 33))
      .find((key) =>
        [nonce!, other].every(({ keyData }) => Buffer.compare(keyData.subarray(0, 33), key) !== 0),
      ) as Uint8Array;
    const of = (key: Uint8Array) => Buffer.concat([key, nonce!.keyData.subarray(33)]);
    for (const [psbt, why] of [
      [changed(given.psbt, (input) => input.set(INPUT.MUSIG2_PUB_NONCE, nonce!.value, of(own))), 'makes itself'],
      [
        changed(given.psbt, (input) => input.set(INPUT.MUSIG2_PUB_NONCE, nonce!.value, of(Buffer.alloc(33, 2)))),
        'no such part',
      ],
      [changed(given.psbt, (input) => input.set(INPUT.MUSIG2_PUB_NONCE, OFF_CURVE, nonce!.keyData)), 'malformed'],
      [
        changed(given.psbt, (input) => input.set(INPUT.MUSIG2_PARTIAL_SIG, Buffer.alloc(32, 1), nonce!.keyData)),
        'before the nonce',
      ],
    ] as const)
      expect(await refused(made.txid, psbt)).toContain(why);
    await taken(made.txid, given.psbt);
    const { psbt } = await taken(made.txid, bob.nonces(made.psbt).psbt);
    const forged = changed(psbt, (input) => input.set(INPUT.MUSIG2_PARTIAL_SIG, Buffer.alloc(32, 1), nonce!.keyData));
    expect(await refused(made.txid, forged)).toContain('not valid');
    expect(shares(await given.sign(psbt), INPUT.MUSIG2_PARTIAL_SIG)).toEqual([2]);
  });

  it('is bumped with new nonces', async () => {
    const signed = async ({ txid, psbt }: Json): Promise<Json> => {
      const rounds = [alice, bob].map((party) => party.nonces(psbt));
      await taken(txid, rounds[0]!.psbt);
      const all = await taken(txid, rounds[1]!.psbt);
      await taken(txid, rounds[0]!.sign(all.psbt));
      return taken(txid, rounds[1]!.sign(all.psbt));
    };
    const sent = await signed(await waiting());
    const bumped = await app.post(`${PATH}/${sent.txid}/bump`, { fee_rate: '9' });
    expect(bumped.body, bumped.text).toMatchObject({ status: 'awaiting_signature', replaces: sent.txid });
    expect((await signed(bumped.body)).status).toBe('broadcast');
    expect((await app.get(`${PATH}/${sent.txid}`)).body.status).toBe('replaced');
  });
});

it('is exported with a key of its own in policies and for Bitcoin Core', async () => {
  const exported = async (format: string) =>
    (await app.get(`/api/v1/wallets/${wallet.wallet_id}/exports/${format}`)).text;
  expect(JSON.parse(await exported('bip388')).descriptor_template).toBe('tr(musig(@0,@1,@2)/**)');
  expect(await exported('descriptor')).toMatch(/^tr\(musig\(\[.*\)\/<0;1>\/\*\)#/);
  expect(JSON.parse(await exported('bitcoin-core'))[1].desc).toBe(wallet.descriptors.internal);
  expect((await app.get(`/api/v1/wallets/${wallet.wallet_id}/exports/bip129`)).status).toBe(422);
});
