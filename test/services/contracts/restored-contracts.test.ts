/** A contract that goes on elsewhere: a service that has the wallet's words and the contract's backup, and nothing else, settles it. */

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseSign, serializeSign } from '../../../src/core/dlc/messages/sign.ts';
import type { OracleId } from '../../../src/core/ids.ts';
import { queueScan } from '../../../src/services/wallets/queue-scan.ts';
import type { Json } from '../../builders/app.ts';
import { type ContractParties, type ContractParty, openContractParties } from '../../builders/contract-parties.ts';
import { spoilt as spoiltBytes } from '../../builders/external-party.ts';
import { type ForeignEvent, foreignOracle } from '../../builders/foreign-oracle.ts';

const OUTCOMES = ['up', 'down', 'same'];
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const at = (contract: Json, step: string): string => `/api/v1/dlc/contracts/${contract.contract_id}/${step}`;

let parties: ContractParties;
let event: ForeignEvent;
let theirs: Json;
let backup: Json;
let elsewhere: ContractParty;
let oracleId: OracleId;
let publicKey: string;
let sign: () => Promise<void>;

beforeAll(async () => {
  parties = await openContractParties();
  const { offerer, accepter } = parties;
  const oracle = foreignOracle();
  publicKey = oracle.publicKey;
  event = oracle.announce({ kind: 'enum', outcomes: OUTCOMES });
  const { oracle_id } = await offerer.make('POST', '/api/v1/dlc/oracles', {
    name: 'of others',
    public_key: oracle.publicKey,
  });
  await offerer.make('POST', '/api/v1/dlc/announcements', { announcement: hex(event.announcement) });
  oracleId = oracle_id;
  theirs = await offered();
  const early = await accepter.ask('GET', at(theirs, 'backup'));
  expect([early.status, early.body.error.details.code]).toEqual([409, 'state_conflict']);
  await sign();
  backup = await accepter.make('GET', at(theirs, 'backup'));
  elsewhere = await parties.another(accepter.mnemonic);
  await scanned(elsewhere);
});
afterAll(() => parties?.close());

/** What the accepter has of a new contract; `sign` completes it. */
async function offered(): Promise<Json> {
  const { offerer, accepter } = parties;
  const offer = await offerer.make('POST', '/api/v1/contracts', {
    type: 'dlc',
    oracle: oracleId,
    event_id: event.event.eventId,
    outcomes: OUTCOMES,
    collateral: '0.02000000',
    counterparty: { mode: 'remote' },
  });
  const taken = await accepter.make('POST', '/api/v1/dlc/offers', {
    message: offer.messages.offer,
    accept_oracles: [publicKey],
  });
  const { messages } = await accepter.make('POST', at(taken, 'accept'));
  sign = async () => {
    const signed = await offerer.make('POST', at(offer, 'accept'), { message: messages.accept });
    await accepter.make('POST', at(taken, 'sign'), { message: signed.messages.sign });
    await parties.mine();
  };
  return taken;
}

async function scanned({ make, walletId }: ContractParty): Promise<void> {
  const scan = async () => (await make('GET', `/api/v1/wallets/${walletId}`)).scan.state;
  await vi.waitUntil(async () => (await scan()) === 'idle', { timeout: 90_000 });
}

const restoring = (given: Json) => elsewhere.ask('POST', '/api/v1/dlc/contracts/restore', { backup: given });

describe('the backup of a contract', () => {
  it('has messages, announcements, key paths and transactions, and no private key', () => {
    expect(backup).toMatchObject({ version: 1, network: 'regtest', role: 'accepter', status: 'confirmed' });
    expect(backup.announcements).toEqual([hex(event.announcement)]);
    expect(backup.keys).toHaveLength(1);
    expect(backup.keys[0].funding_key.path).toMatch(/^m\/84h\/1h\/0h\/0\/\d+$/);
    expect(backup.transactions.funding).toMatch(/^0200/);
  });

  it('is refused where it is not whole, of another network, or of a wallet that is not there', async () => {
    // Of the field as whoever restores wrote it.
    const refused = async (given: Json, status: number, code: string, field: string) => {
      const answer = await restoring(given);
      expect([answer.status, answer.body.error.details], answer.text).toMatchObject([status, { code, field }]);
    };
    await refused({ ...backup, network: 'signet' }, 400, 'wrong_network', 'backup.network');
    const { sign } = backup.messages;
    const spoilt = `${sign.slice(0, 400)}${sign[400] === '0' ? '1' : '0'}${sign.slice(401)}`;
    await refused(
      { ...backup, messages: { ...backup.messages, sign: spoilt } },
      422,
      'contract_refused',
      'backup.messages.sign',
    );
    // What brings the collateral back is needed when nothing else is left.
    const message = parseSign(Buffer.from(sign, 'hex'), 'tagged');
    const refundSignature = spoiltBytes(message.refundSignature, 40);
    const unrefunded = hex(serializeSign({ ...message, refundSignature }, 'tagged'));
    await refused(
      { ...backup, messages: { ...backup.messages, sign: unrefunded } },
      422,
      'contract_refused',
      'backup.messages.sign',
    );
    await refused(
      { ...backup, messages: { ...backup.messages, accept: sign } },
      400,
      'invalid_message',
      'backup.messages.accept',
    );
    const [key] = backup.keys;
    await refused(
      { ...backup, keys: [{ ...key, payout: { ...key.payout, index: key.payout.index + 1 } }] },
      400,
      'invalid_backup',
      'backup.keys',
    );
    await refused({ ...backup, keys: [{ ...key, inputs: [] }] }, 400, 'invalid_backup', 'backup.keys');
    await refused(
      { ...backup, keys: [{ ...key, funding_key: { ...key.funding_key, index: 20_000 } }] },
      400,
      'invalid_backup',
      'backup.keys',
    );
    await refused({ ...backup, role: 'offerer' }, 400, 'invalid_backup', 'backup.keys');
    await refused(
      { ...backup, keys: [{ ...key, fingerprint: '00000000' }] },
      422,
      'signing_unavailable',
      'backup.keys',
    );
  });

  it('has far addresses derived some at once, the others by the scan', async () => {
    const { accepter } = parties;
    const { accountId, app } = accepter.service;
    const { store } = app;
    const far = 1_300;
    await store.write(async (tx) => {
      const wallet = await tx.wallets.find(accountId, accepter.walletId);
      await tx.wallets.raiseNextIndex(accountId, accepter.walletId, false, far);
      if (wallet) await queueScan(tx, wallet);
    });
    await scanned(accepter);
    const contract = await offered();
    await sign();
    const fresh = await parties.another(accepter.mnemonic);
    await scanned(fresh);
    const given = await accepter.make('GET', at(contract, 'backup'));
    const restored = await fresh.make('POST', '/api/v1/dlc/contracts/restore', { backup: given });
    const { read } = fresh.service.app.store;
    const whole = () => read.scripts.highestIndex(fresh.service.accountId, fresh.walletId, false);
    const { index } = given.keys[0].payout;
    expect(index).toBeGreaterThanOrEqual(far);
    await expect.poll(whole, { timeout: 90_000 }).toBe(index + 20);
    await scanned(fresh);
    const payout = await read.scripts.find(fresh.service.accountId, fresh.walletId, false, index);
    expect(payout).toMatchObject({
      label: `contract ${restored.contract_id}: payout`,
      reservedAt: expect.any(Number),
    });
    const { body } = await fresh.ask('POST', `/api/v1/wallets/${fresh.walletId}/addresses`);
    expect(body.index).toBe(index + 1);
  });

  it('settles it: the attestation alone is missing', async () => {
    const answer = await restoring(backup);
    expect(answer.status, answer.text).toBe(201);
    const restored = answer.body;
    expect(restored).toMatchObject({
      status: 'confirmed',
      role: 'accepter',
      outcomes: OUTCOMES,
      funding_txid: (await parties.accepter.contract(theirs.contract_id)).funding_txid,
      dlc_contract_id: theirs.dlc_contract_id ?? expect.any(String),
    });
    const again = await restoring(backup);
    const field = 'backup.messages.offer';
    expect([again.status, again.body.error.details]).toMatchObject([409, { code: 'already_exists', field }]);
    expect(again.body.error.message).toContain(restored.contract_id);

    // Its change is spent first: what spends another output of the funding transaction does not close it.
    const { address } = await elsewhere.make('POST', `/api/v1/wallets/${elsewhere.walletId}/addresses`);
    await elsewhere.make('POST', '/api/v1/transactions', {
      ...{ recipients: [{ address, amount: 'max' }], fee_rate: '2', rbf: true, wallet_id: elsewhere.walletId },
    });
    await parties.mine();
    await elsewhere.make('POST', '/api/v1/dlc/attestations', { attestation: hex(event.attest('down')) });
    const executed = await elsewhere.until(restored.contract_id, ({ status }) => status !== 'confirmed');
    expect(executed).toMatchObject({ status: 'executed', outcome: 'down' });
    await parties.mine();
    expect((await elsewhere.contract(restored.contract_id)).status).toBe('closed');
    // Where it came from it is seen on the chain.
    const before = await parties.accepter.until(theirs.contract_id, ({ status }) => status === 'closed');
    expect(before.cet_txid).toBe(executed.cet_txid);
    const { data } = await elsewhere.make('GET', `/api/v1/wallets/${elsewhere.walletId}/utxos?limit=100`);
    expect(data.some(({ txid }: Json) => txid === executed.cet_txid)).toBe(true);
  });

  it('finds out how it ended where that is over', async () => {
    const { cet_txid } = await parties.accepter.contract(theirs.contract_id);
    const later = await parties.another(parties.accepter.mnemonic);
    const scan = async () => (await later.make('GET', `/api/v1/wallets/${later.walletId}`)).scan.state;
    await expect.poll(scan).toBe('idle');
    const restored = await later.make('POST', '/api/v1/dlc/contracts/restore', { backup });
    expect(restored).toMatchObject({ status: 'closed', cet_txid, reason: null });
    const learned = await later.until(restored.contract_id, ({ outcome }) => outcome !== null);
    expect(learned.outcome).toBe('down');
  });

  it('is taken where its external_id is free, and where one holder has left CETs little time', async () => {
    const { accepter: us } = parties;
    const { height } = await parties.chain.info();
    const locktimes = { cet_locktime: height + 10, refund_locktime: height + 11 };
    const terms = { type: 'dlc', oracle: 'local', outcomes: OUTCOMES, collateral: '0.01', ...locktimes };
    const { contract_id } = await us.make('POST', '/api/v1/contracts', { ...terms, external_id: 'bet-1' });
    const alone = await us.make('GET', at({ contract_id }, 'backup'));
    // Whoever has the words has all of the wallet's coins.
    await parties.mine();
    await elsewhere.make('POST', '/api/v1/contracts', { ...terms, external_id: 'bet-1' });
    const taken = await restoring(alone);
    expect([taken.status, taken.body.error?.details], taken.text).toMatchObject([
      409,
      { code: 'already_exists', field: 'backup.external_id' },
    ]);
    const restored = await restoring({ ...alone, external_id: 'bet-2' });
    expect([restored.status, restored.body.role], restored.text).toEqual([201, 'both']);
    expect((await elsewhere.make('POST', at(restored.body, 'verify'))).valid).toBe(true);
  });

  it('is told of the block that comes while the chain is asked where it stands', async () => {
    const { chain, accepter: us } = parties;
    const terms = { type: 'dlc', oracle: 'local', outcomes: OUTCOMES, collateral: '0.01' };
    const { contract_id } = await us.make('POST', '/api/v1/contracts', terms);
    await us.until(contract_id, ({ status }) => status === 'funded');
    const given = await us.make('GET', at({ contract_id }, 'backup'));
    const { utxo } = chain;
    const asked = vi.spyOn(chain, 'utxo').mockImplementationOnce(async (outpoint) => {
      const answer = await utxo(outpoint);
      await parties.mine();
      return answer;
    });
    const restored = await restoring(given);
    expect(asked.mock.calls.length).toBeGreaterThan(1);
    asked.mockRestore();
    expect([restored.status, restored.body.status], restored.text).toEqual([201, 'confirmed']);
  });
});
