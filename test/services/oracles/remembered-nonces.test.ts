/** An oracle that announces two events with one nonce is found out, for every account; nobody else can speak ill of it. */
import { expect, it } from 'vitest';
import { serializeAnnouncement, serializeOracleEvent } from '../../../src/core/dlc/messages/announcement.ts';
import { signAnnouncement } from '../../../src/core/dlc/oracle/announcements.ts';
import { enumEvent, fixedBytes, testOracle } from '../../builders/dlc-oracle.ts';
import { openContracts } from '../contracts/contracts-setup.ts';
import { BTC } from '../transactions/payments-setup.ts';

it('its second event is refused, and it makes no contract any more', async () => {
  const c = await openContracts();
  const wallet = await c.newWallet();
  await c.fund(wallet, [BTC]);
  const keys = testOracle('careless');
  const publicKey = Buffer.from(keys.publicKey).toString('hex');
  const { oracleId } = await c.oracles.register({ name: 'careless', publicKey }, c.context());
  const first = keys.announce(enumEvent('yes', 'no'), 'first');
  const add = (one: typeof first) => c.oracles.addAnnouncement(serializeAnnouncement(one), c.context());
  const oracle = () => c.oracles.get(oracleId, c.context());
  await add(first);
  await add(first);
  expect(await oracle()).toMatchObject({ nonceReusedAt: null });

  const event = { ...first.event, eventId: 'second' };
  const forged = { ...first, event };
  await expect(add(forged)).rejects.toMatchObject({ code: 'invalid_signature' });
  expect(await oracle()).toMatchObject({ nonceReusedAt: null });

  const tools = { randomBytes: fixedBytes };
  const signature = signAnnouncement(keys.privateKey, serializeOracleEvent(event), 'tagged', tools);
  const refused = { code: 'contract_refused', message: expect.stringMatching(/^nonce_reused:/) };
  await expect(add({ ...forged, signature })).rejects.toMatchObject(refused);
  expect(await oracle()).toMatchObject({ nonceReusedAt: expect.any(Number) });
  await expect(c.create(wallet, { oracles: [oracleId] })).rejects.toMatchObject(refused);
});
