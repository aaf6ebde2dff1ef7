/** Settling by an outcome: each class of outcome pays what was agreed, once, whoever asks how often. */

import { beforeEach, describe, expect, it } from 'vitest';
import { parseTransaction } from '../../../src/core/blocks/transaction.ts';
import type { OracleId } from '../../../src/core/ids.ts';
import type { ContractView } from '../../../src/services/contracts/contract-service.ts';
import type { WalletRecord } from '../../../src/store/records.ts';
import { BTC } from '../transactions/payments-setup.ts';
import { type Contracts, openContracts } from './contracts-setup.ts';

const TOTAL = 1_000_000n;
let c: Contracts;
let wallet: WalletRecord;

beforeEach(async () => {
  c = await openContracts();
  wallet = await c.newWallet();
  await c.fund(wallet, [BTC]);
});

const execute = (contract: ContractView, outcome: string) =>
  c.contracts.execute(contract.contractId, { outcome }, c.context());

/** What the CET pays to each side's payout address. */
async function paid({ accountId, closingTxid, offerSide, acceptSide }: ContractView) {
  const { outputs } = parseTransaction((await c.store.read.transactions.find(accountId, closingTxid!))!.raw!);
  const scripts = new Map(
    (await c.store.read.scripts.all(accountId, wallet.walletId)).map((script) => [script.address, script.scriptPubKey]),
  );
  const to = (address: string) =>
    outputs.find(({ scriptPubKey }) => scriptPubKey === scripts.get(address))?.amountSats ?? 0n;
  return { offer: to(offerSide!.payout.address), accept: to(acceptSide!.payout.address), outputs: outputs.length };
}

describe('executing', () => {
  it.each([
    ['first', 'a', { offer: TOTAL, accept: 0n, outputs: 1 }],
    ['last', 'e', { offer: 0n, accept: TOTAL, outputs: 1 }],
    ['middle', 'b', { offer: 750_000n, accept: 250_000n, outputs: 2 }],
    ['equal split', 'c', { offer: TOTAL / 2n, accept: TOTAL / 2n, outputs: 2 }],
    // Shares below 1,000 satoshis are dropped, as dlcspecs has it.
    ['dust share', 'd', { offer: TOTAL - 999n, accept: 0n, outputs: 1 }],
  ])('pays by the %s outcome', async (_class, outcome, shares) => {
    const made = await c.confirmed(wallet, {
      outcomes: ['a', 'b', 'c', 'd', 'e'],
      payouts: new Map([
        ['a', TOTAL],
        ['b', 750_000n],
        ['c', TOTAL / 2n],
        ['d', TOTAL - 999n],
        ['e', 0n],
      ]),
    });
    const executed = await execute(made, outcome);
    expect(executed).toMatchObject({ status: 'executed', outcome });
    expect(await paid(executed)).toEqual(shares);
    await c.mine();
    expect((await c.get(made.contractId)).status).toBe('closed');
  });

  it('is refused before the funding is in a block, and nothing is attested', async () => {
    const made = await c.create(wallet);
    await expect(execute(made, 'yes')).rejects.toMatchObject({
      code: 'state_conflict',
      message: expect.stringContaining(`contract ${made.contractId} is funded and cannot be executed`),
    });
    expect(await c.oracles.attestationsOf(c.accountId, made.oracleIds[0]!, made.eventIds[0]!)).toEqual([]);
  });

  it('is refused before the locktime of the CETs, and nothing is attested', async () => {
    const height = (await c.chain.info()).height;
    const made = await c.confirmed(wallet, { cetLocktime: height + 3 });
    await expect(execute(made, 'yes')).rejects.toMatchObject({
      code: 'state_conflict',
      message: expect.stringContaining(`locked until block ${height + 3}`),
    });
    expect(await c.oracles.attestationsOf(c.accountId, made.oracleIds[0]!, made.eventIds[0]!)).toEqual([]);
    await c.mine(2);
    expect((await execute(made, 'yes')).status).toBe('executed');
    expect(await c.mempool()).toHaveLength(1);
  });

  it('refuses what is no outcome, naming those that are', async () => {
    const made = await c.confirmed(wallet);
    await expect(execute(made, 'maybe')).rejects.toMatchObject({
      code: 'invalid_value',
      message: '"maybe" is not one of the outcomes: yes, no',
      details: { field: 'outcome' },
    });
  });

  it('answers the same record to the same outcome again, and refuses another', async () => {
    const made = await c.confirmed(wallet);
    const first = await execute(made, 'yes');
    expect(await execute(made, 'yes')).toEqual(first);
    await expect(execute(made, 'no')).rejects.toMatchObject({ code: 'outcome_conflict' });
    await c.mine();
    expect(await execute(made, 'yes')).toMatchObject({ status: 'closed', closingTxid: first.closingTxid });
    await expect(execute(made, 'no')).rejects.toMatchObject({ code: 'outcome_conflict' });
  });

  it('makes one CET of two requests at once', async () => {
    const made = await c.confirmed(wallet);
    const both = await Promise.all([execute(made, 'yes'), execute(made, 'yes')]);
    expect(both[0]!.closingTxid).toBe(both[1]!.closingTxid);
    expect(await c.mempool()).toEqual([both[0]!.closingTxid]);
    expect((await c.told(made.contractId)).filter(({ status }) => status === 'executed')).toHaveLength(1);
  });

  it('takes one of two outcomes that are asked for at once', async () => {
    const made = await c.confirmed(wallet);
    const [one, other] = await Promise.allSettled([execute(made, 'yes'), execute(made, 'no')]);
    const settled = [one!, other!].filter(({ status }) => status === 'fulfilled');
    expect(settled).toHaveLength(1);
    expect([one, other].find((result) => result!.status === 'rejected')).toMatchObject({
      reason: { code: 'outcome_conflict' },
    });
    const now = await c.get(made.contractId);
    expect(await c.mempool()).toEqual([now.closingTxid]);
    expect(await c.oracles.attestationsOf(c.accountId, made.oracleIds[0]!, made.eventIds[0]!)).toHaveLength(1);
  });

  it('settles a contract on a number by its digits', async () => {
    const point = (eventOutcome: bigint, payoutSats: bigint) => ({ eventOutcome, payoutSats, extraPrecision: 0 });
    const made = await c.confirmed(wallet, {
      outcomes: undefined,
      numeric: {
        ...{ digits: 10, unit: 'usd', precision: 0, written: { digits: 10 } },
        payoutFunction: {
          pieces: [
            { endPoint: point(0n, 0n), curve: { kind: 'polynomial', points: [] } },
            { endPoint: point(1_000n, TOTAL), curve: { kind: 'polynomial', points: [] } },
          ],
          lastEndPoint: point(1_023n, TOTAL),
        },
        roundingIntervals: [{ beginInterval: 0n, roundingMod: 10_000n }],
      },
    });
    expect(made).toMatchObject({ status: 'confirmed', payouts: [], descriptor: { digits: 10 } });
    await expect(execute(made, '1024')).rejects.toMatchObject({ code: 'invalid_value', details: { field: 'outcome' } });
    await expect(execute(made, '0x10')).rejects.toMatchObject({ code: 'invalid_value' });
    const executed = await execute(made, '437');
    expect(executed).toMatchObject({ status: 'executed', outcome: '437' });
    expect(await paid(executed)).toEqual({ offer: 440_000n, accept: 560_000n, outputs: 2 });
    await expect(execute(made, '438')).rejects.toMatchObject({ code: 'outcome_conflict' });
  });

  it("settles by a foreign oracle's attestation once that is there", async () => {
    const oracle = await c.oracles.createLocal({ name: 'elsewhere' }, c.context());
    const event = await c.oracles.announceFor(c.accountId, {
      oracle: oracle.oracleId,
      descriptor: { kind: 'enum', outcomes: ['yes', 'no'] },
      maturityEpoch: 1_700_000_000,
    });
    const made = await c.confirmed(wallet, { oracles: [oracle.oracleId], eventIds: [event.eventId] });
    expect(made.eventIds).toEqual([event.eventId]);
    await c.oracles.attest({ oracle: oracle.oracleId, eventId: event.eventId, outcome: 'no' }, c.context());
    await expect(execute(made, 'yes')).rejects.toMatchObject({ code: 'outcome_conflict' });
    expect((await execute(made, 'no')).status).toBe('executed');
  });

  it('takes two of three oracles', async () => {
    const oracles: OracleId[] = [];
    for (const name of ['first', 'second', 'third'])
      oracles.push((await c.oracles.createLocal({ name }, c.context())).oracleId);
    const made = await c.confirmed(wallet, { oracles, threshold: 2 });
    expect(made).toMatchObject({ threshold: 2, status: 'confirmed' });
    expect(made.eventIds).toHaveLength(3);
    const executed = await execute(made, 'yes');
    expect(executed).toMatchObject({ status: 'executed', outcome: 'yes' });
    const attested = await Promise.all(
      made.oracleIds.map((oracleId, at) => c.oracles.attestationsOf(c.accountId, oracleId, made.eventIds[at]!)),
    );
    expect(attested.map((list) => list.length)).toEqual([1, 1, 0]);
  });

  it('attests nothing where what another oracle attested already keeps that from settling', async () => {
    const [first, second] = await Promise.all(
      ['early', 'late'].map(async (name) => (await c.oracles.createLocal({ name }, c.context())).oracleId),
    );
    const made = await c.confirmed(wallet, { oracles: [first!, second!], threshold: 2 });
    await c.oracles.attest({ oracle: first!, eventId: made.eventIds[0]!, outcome: 'no' }, c.context());
    await expect(execute(made, 'yes')).rejects.toMatchObject({ code: 'outcome_conflict' });
    expect(await c.oracles.attestationsOf(c.accountId, second!, made.eventIds[1]!)).toEqual([]);
    expect(await execute(made, 'no')).toMatchObject({ status: 'executed', outcome: 'no' });
  });
});
