/** A contract between two services, which know of each other what is in the messages: from the offer to every end that it may have. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../builders/app.ts';
import { type ContractParties, type ContractParty, openContractParties } from '../../builders/contract-parties.ts';

let parties: ContractParties;
let offerer: ContractParty;
let accepter: ContractParty;

beforeAll(async () => {
  parties = await openContractParties();
  ({ offerer, accepter } = parties);
});
afterAll(() => parties?.close());

const TERMS = {
  type: 'dlc',
  oracle: 'local',
  outcomes: ['win', 'draw', 'lose'],
  collateral: '0.02000000',
  counterparty: { mode: 'remote' },
};

const offered = (terms: Json = {}): Promise<Json> => offerer.make('POST', '/api/v1/contracts', { ...TERMS, ...terms });

const oracleKey = async (): Promise<string> => {
  const { public_key } = await offerer.make('GET', '/api/v1/dlc/oracles/local');
  return public_key;
};

async function received(offer: Json): Promise<Json> {
  const message = offer.messages.offer;
  return accepter.make('POST', '/api/v1/dlc/offers', { message, accept_oracles: [await oracleKey()] });
}

const at = (contract: Json, step: string): string => `/api/v1/dlc/contracts/${contract.contract_id}/${step}`;

/** Both sides' records, funded. */
async function funded(terms: Json = {}): Promise<{ ours: Json; theirs: Json }> {
  const offer = await offered(terms);
  const taken = await received(offer);
  const accepted = await accepter.make('POST', at(taken, 'accept'));
  const signed = await offerer.make('POST', at(offer, 'accept'), { message: accepted.messages.accept });
  const theirs = await accepter.make('POST', at(taken, 'sign'), { message: signed.messages.sign });
  return { ours: signed, theirs };
}

async function confirmed(terms: Json = {}): Promise<{ ours: Json; theirs: Json }> {
  const { ours, theirs } = await funded(terms);
  await parties.mine();
  return { ours: await offerer.contract(ours.contract_id), theirs: await accepter.contract(theirs.contract_id) };
}

describe('a contract between two services', () => {
  it('is offered, accepted, signed, funded, and settled by the attestation', async () => {
    const offer = await offered();
    expect(offer).toMatchObject({ status: 'offered', role: 'offerer', custody: 'shared' });
    expect(offer.messages.offer).toMatch(/^a71a00000001/);
    const taken = await received(offer);
    expect(taken).toMatchObject({
      status: 'offered',
      role: 'accepter',
      outcomes: TERMS.outcomes,
      payouts: offer.payouts,
      collateral: offer.collateral,
      temporary_contract_id: offer.temporary_contract_id,
    });
    expect(await accepter.locked()).toBe('0.00000000');

    const accepted = await accepter.make('POST', at(taken, 'accept'));
    expect(accepted).toMatchObject({ status: 'accepted', funding_txid: null });
    expect(accepted.messages.accept).toMatch(/^a71c00000001/);
    expect(await accepter.locked()).not.toBe('0.00000000');

    const signed = await offerer.make('POST', at(offer, 'accept'), { message: accepted.messages.accept });
    expect(signed).toMatchObject({ status: 'signed', dlc_contract_id: accepted.dlc_contract_id });
    const both = await accepter.make('POST', at(taken, 'verify'));
    expect(both.valid).toBe(true);

    const done = await accepter.make('POST', at(taken, 'sign'), { message: signed.messages.sign });
    expect(done.status).toBe('funded');
    await parties.mine();
    const ours = await offerer.contract(offer.contract_id);
    expect(ours).toMatchObject({ status: 'confirmed', funding_txid: done.funding_txid });

    const executed = await offerer.make('PUT', `/api/v1/contracts/${offer.contract_id}/execute`, { outcome: 'draw' });
    expect(executed).toMatchObject({ status: 'executed', outcome: 'draw' });
    // What the CET was opened with tells the other side the outcome.
    const theirs = await accepter.until(taken.contract_id, ({ outcome }) => outcome !== null);
    expect(theirs).toMatchObject({ status: 'executed', cet_txid: executed.cet_txid, outcome: 'draw' });
    await parties.mine();
    expect((await accepter.contract(taken.contract_id)).status).toBe('closed');
  });

  it('takes a message once that is sent twice at the same time', async () => {
    const offer = await offered();
    const taken = await received(offer);
    const { messages } = await accepter.make('POST', at(taken, 'accept'));
    const twice = (party: ContractParty, contract: Json, step: string, message: string) =>
      Promise.all([1, 2].map(() => party.make('POST', at(contract, step), { message })));
    const [signed] = await twice(offerer, offer, 'accept', messages.accept);
    await twice(accepter, taken, 'sign', signed!.messages.sign);
    const statuses = async (party: ContractParty, { contract_id }: Json) => {
      const events = await party.service.app.store.read.events.after(0n, 1_000);
      const told = events.map(({ data }) => JSON.parse(data)).filter((data) => data.contract_id === contract_id);
      return told.filter(({ progress }) => !progress).map(({ status }) => status);
    };
    const ours = await statuses(offerer, offer);
    expect(ours.filter((status) => status === 'signed')).toEqual(['signed']);
    expect(await statuses(accepter, taken)).toEqual(['offered', 'accepted', 'signed', 'funded']);
  });

  it('tells the outcome to a side that first sees the CET in a block', async () => {
    const { ours, theirs } = await confirmed();
    await offerer.make('PUT', `/api/v1/contracts/${ours.contract_id}/execute`, { outcome: 'win' });
    await parties.mine();
    const closed = await accepter.until(theirs.contract_id, ({ outcome }) => outcome !== null);
    expect(closed).toMatchObject({ status: 'closed', outcome: 'win' });
  });

  it('is divided by agreement', async () => {
    const { ours, theirs } = await confirmed();
    const { psbt } = await offerer.make('POST', at(ours, 'close'), { offer_payout: '0.00500000' });
    const greedy = await accepter.ask('POST', at(theirs, 'close'), { psbt, minimum_payout: '0.01600000' });
    expect([greedy.status, greedy.body.error.details.code]).toEqual([422, 'contract_refused']);
    const { contract } = await accepter.make('POST', at(theirs, 'close'), { psbt, minimum_payout: '0.01490000' });
    expect(contract).toMatchObject({ status: 'executed', outcome: null, cet_txid: null });
    await parties.mine();
    expect(await offerer.contract(ours.contract_id)).toMatchObject({
      status: 'closed',
      closing_txid: contract.closing_txid,
    });
  });
});
