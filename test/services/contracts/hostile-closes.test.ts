/** Whoever is at the other side proposes to divide a contract, generously, by something that could not be sent: it is not signed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatBtc } from '../../../src/core/amount.ts';
import { closingPsbt } from '../../../src/core/dlc/contract/closing-psbt.ts';
import type { DlcContract } from '../../../src/core/dlc/contract/dlc-contract.ts';
import { signedFunding } from '../../../src/core/dlc/contract/sign-funding.ts';
import { signHash } from '../../../src/core/dlc/contract/spend-funding.ts';
import { serializeAccept } from '../../../src/core/dlc/messages/accept.ts';
import { parseSign } from '../../../src/core/dlc/messages/sign.ts';
import { closingHasher } from '../../../src/core/dlc/transactions/closing-hash.ts';
import { contractTransaction, sumOf } from '../../../src/core/dlc/transactions/contract-transaction.ts';
import type { Json } from '../../builders/app.ts';
import { type ContractParties, type ContractParty, openContractParties } from '../../builders/contract-parties.ts';
import { fundingWitnesses, type TestParty } from '../../builders/dlc-messages.ts';
import { acceptanceOf, asHex, externalParty } from '../../builders/external-party.ts';

let parties: ContractParties;
let us: ContractParty;
let stranger: TestParty;
let ours: Json;
let contract: DlcContract;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

beforeAll(async () => {
  parties = await openContractParties();
  us = parties.offerer;
  stranger = await externalParty(parties, 'a generous stranger', 1_000_000n);
  const offer = await us.make('POST', '/api/v1/contracts', {
    type: 'dlc',
    oracle: 'local',
    outcomes: ['win', 'lose'],
    collateral: '0.02000000',
    counterparty: { mode: 'remote' },
  });
  const accepted = acceptanceOf(offer.messages.offer, stranger);
  ({ contract } = accepted);
  const message = asHex(serializeAccept(accepted.accept, 'tagged'));
  const signed = await us.make('POST', `/api/v1/dlc/contracts/${offer.contract_id}/accept`, { message });
  const { fundingSignatures } = parseSign(Buffer.from(signed.messages.sign, 'hex'), 'tagged');
  const { raw } = signedFunding(contract, {
    offer: fundingSignatures,
    accept: fundingWitnesses(contract, 'accept', stranger),
  });
  expect(await parties.chain.broadcast(raw)).toEqual({ result: 'accepted' });
  await parties.mine();
  ours = await us.until(offer.contract_id, ({ status }) => status === 'confirmed');
});
afterAll(() => parties?.close());

/** Pays us nearly everything, with the stranger's good signature. */
function proposal(changed: { sequence?: number; feeSats?: bigint; dustSats?: bigint }): string {
  const { sequence = 0xffffffff, feeSats = 1_000n, dustSats = 1_000n } = changed;
  const outputs = [
    {
      scriptPubKey: hex(contract.offer.party.payoutScript),
      amountSats: contract.fundingAmountSats - feeSats - dustSats,
    },
    { scriptPubKey: hex(stranger.party.payoutScript), amountSats: dustSats },
  ];
  const { fundingTxid: txid, fundingVout: vout } = contract;
  const transaction = contractTransaction({
    locktime: 0,
    inputs: [{ txid, vout, sequence, scriptSig: new Uint8Array(0) }],
    outputs,
    feeSats: contract.fundingAmountSats - sumOf(outputs),
  });
  const hash = closingHasher(contract.fundingTransaction, { version: 2, locktime: 0, sequence })(outputs);
  const signature = signHash(hash, stranger.fundingPrivateKey);
  return closingPsbt(contract, { transaction }, { side: 'accept', signature });
}

const taking = (psbt: string, minimum_payout = '0.01000000') =>
  us.ask('POST', `/api/v1/dlc/contracts/${ours.contract_id}/close`, { psbt, minimum_payout });

describe('a proposal that no node would take', () => {
  it.each([
    ['is locked for a year', { sequence: 0x0000ffff }, /sequence/],
    ['is locked for a time by seconds', { sequence: 0x0040_ffff }, /sequence/],
    ['pays no fee', { feeSats: 0n }, /node refuses it/],
    ['makes dust', { dustSats: 1n }, /node refuses it/],
  ])('because it %s is refused, and the contract stands', async (_why, changed, reason) => {
    const answer = await taking(proposal(changed));
    expect([answer.status, answer.body.error?.details], answer.text).toMatchObject([
      422,
      { code: 'contract_refused', field: 'psbt' },
    ]);
    expect(answer.body.error.message).toMatch(reason);
    expect(await us.contract(ours.contract_id)).toMatchObject({ status: 'confirmed', closing_txid: null });
  });

  it('is refused a satoshi below what was asked for', async () => {
    const paidSats = contract.fundingAmountSats - 2_000n;
    const answer = await taking(proposal({}), formatBtc(paidSats + 1n));
    expect([answer.status, answer.body.error?.details], answer.text).toMatchObject([
      422,
      { code: 'contract_refused', field: 'minimum_payout' },
    ]);
    expect(await us.contract(ours.contract_id)).toMatchObject({ status: 'confirmed', closing_txid: null });
  });

  it('leaves the contract to an honest one, which is answered again when it is sent again', async () => {
    const psbt = proposal({ sequence: 0xfffffffd });
    const first = await taking(psbt, formatBtc(contract.fundingAmountSats - 2_000n));
    expect([first.status, first.body.contract?.status], first.text).toEqual([200, 'executed']);
    const again = await taking(psbt);
    expect([again.status, again.body.contract?.closing_txid]).toEqual([200, first.body.contract.closing_txid]);
  });
});
