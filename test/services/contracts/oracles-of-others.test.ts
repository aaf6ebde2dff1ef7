/** Contracts on events of oracles elsewhere: announcements found, attestations posted, one that contradicts itself. */
import { describe, expect, it } from 'vitest';
import { serializeAnnouncement } from '../../../src/core/dlc/messages/announcement.ts';
import { serializeAttestation } from '../../../src/core/dlc/messages/attestation.ts';
import { digitsEvent, digitsOf, enumEvent, testOracle } from '../../builders/dlc-oracle.ts';
import { BTC } from '../transactions/payments-setup.ts';
import { openContracts } from './contracts-setup.ts';

async function world() {
  const c = await openContracts();
  const wallet = await c.newWallet();
  await c.fund(wallet, [BTC, BTC]);
  const keys = testOracle('elsewhere');
  const { oracleId } = await c.oracles.register(
    { name: 'elsewhere', publicKey: Buffer.from(keys.publicKey).toString('hex') },
    c.context(),
  );
  const announcement = keys.announce(enumEvent('yes', 'no'), 'match');
  const announce = () => c.oracles.addAnnouncement(serializeAnnouncement(announcement), c.context());
  const attest = (outcome: string) =>
    c.oracles.addAttestation(serializeAttestation(keys.attest(announcement, [outcome])), c.context());
  return { c, wallet, oracleId, keys, announce, attest };
}

describe("an event of somebody else's oracle", () => {
  it('must be announced, and is found by its outcomes', async () => {
    const { c, wallet, oracleId, announce } = await world();
    await expect(c.create(wallet, { oracles: [oracleId] })).rejects.toMatchObject({ code: 'announcement_missing' });
    await announce();
    await expect(c.create(wallet, { oracles: [oracleId], outcomes: ['yes', 'no', 'draw'] })).rejects.toMatchObject({
      code: 'announcement_missing',
    });
    await expect(
      c.create(wallet, { oracles: [oracleId], outcomes: ['a', 'b'], eventIds: ['match'] }),
    ).rejects.toMatchObject({ code: 'invalid_value', message: expect.stringContaining('other outcomes') });
    expect(await c.create(wallet, { oracles: [oracleId] })).toMatchObject({ status: 'funded', eventIds: ['match'] });
  });

  it('is named where several have the outcomes', async () => {
    const { c, wallet, oracleId, keys, announce } = await world();
    await announce();
    await c.oracles.addAnnouncement(
      serializeAnnouncement(keys.announce(enumEvent('no', 'yes'), 'return')),
      c.context(),
    );
    await expect(c.create(wallet, { oracles: [oracleId] })).rejects.toMatchObject({
      code: 'invalid_value',
      message: expect.stringContaining('name one in event_id'),
    });
    expect(await c.create(wallet, { oracles: [oracleId], eventIds: ['return'] })).toMatchObject({
      eventIds: ['return'],
      status: 'funded',
    });
  });

  it('settles nothing before it is attested, and then by itself', async () => {
    const { c, wallet, oracleId, announce, attest } = await world();
    await announce();
    const made = await c.confirmed(wallet, { oracles: [oracleId] });
    await expect(c.contracts.execute(made.contractId, { outcome: 'yes' }, c.context())).rejects.toMatchObject({
      code: 'attestation_missing',
    });
    await attest('no');
    await c.driver.round();
    expect(await c.get(made.contractId)).toMatchObject({ status: 'executed', outcome: 'no', reason: null });
  });

  it('attested twice settles by the first, and says so', async () => {
    const { c, wallet, oracleId, announce, attest } = await world();
    await announce();
    const made = await c.create(wallet, { oracles: [oracleId] });
    await attest('yes');
    await attest('no');
    await c.mine();
    await c.driver.round();
    expect(await c.get(made.contractId)).toMatchObject({
      status: 'executed',
      outcome: 'yes',
      reason: expect.stringContaining(`oracle ${oracleId} attested two outcomes`),
    });
    expect(await c.oracles.attestationsOf(c.accountId, oracleId, 'match')).toHaveLength(2);
    expect((await c.oracles.get(oracleId, c.context())).equivocatedAt).not.toBeNull();
  });

  it('that is missing keeps the own oracle from attesting in vain', async () => {
    const { c, wallet, oracleId, announce } = await world();
    await announce();
    const made = await c.confirmed(wallet, { oracles: ['local', oracleId] });
    await expect(c.contracts.execute(made.contractId, { outcome: 'yes' }, c.context())).rejects.toMatchObject({
      code: 'attestation_missing',
    });
    expect(await c.oracles.attestationsOf(c.accountId, made.oracleIds[0]!, made.eventIds[0]!)).toEqual([]);
  });

  it('and one of our own may differ by a little in a number', async () => {
    const { c, wallet, oracleId, keys } = await world();
    const price = keys.announce(digitsEvent(8), 'price');
    await c.oracles.addAnnouncement(serializeAnnouncement(price), c.context());
    await c.oracles.addAttestation(serializeAttestation(keys.attest(price, digitsOf(100n, 8))), c.context());
    const own = await c.oracles.resolve(c.accountId, 'local');
    const event = await c.oracles.announceFor(c.accountId, {
      ...{ oracle: own.oracleId, maturityEpoch: 1_700_000_000 },
      descriptor: digitsEvent(8),
    });
    const point = (eventOutcome: bigint, payoutSats: bigint) => ({ eventOutcome, payoutSats, extraPrecision: 0 });
    const made = await c.confirmed(wallet, {
      ...{ oracles: [oracleId, own.oracleId], eventIds: ['price', event.eventId], outcomes: undefined },
      oracleParams: { maxErrorExp: 4, minFailExp: 2, maximizeCoverage: true },
      collateralSats: 255_000n,
      numeric: {
        ...{ digits: 8, unit: 'USD', precision: 0, written: {}, roundingIntervals: [] },
        payoutFunction: {
          pieces: [{ endPoint: point(0n, 0n), curve: { kind: 'polynomial', points: [] } }],
          lastEndPoint: point(255n, 255_000n),
        },
      },
    });
    expect(made.status, made.reason ?? '').toBe('confirmed');
    const executed = await c.contracts.execute(made.contractId, { outcome: '101' }, c.context());
    expect(executed).toMatchObject({ status: 'executed', outcome: '101' });
    // The first oracle's number decides what is paid.
    const cet = (await c.store.read.transactions.find(c.accountId, executed.closingTxid!))!;
    expect(cet.recipients.map(({ amountSats }) => amountSats).sort()).toEqual([100_000n, 155_000n]);
    expect(await c.contracts.execute(made.contractId, { outcome: '101' }, c.context())).toEqual(executed);
  });
});
