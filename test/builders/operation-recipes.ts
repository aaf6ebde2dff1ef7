/**
 * What each operation needs to be done once with success. An operation that has no recipe is given its own example, with ids of the
 * world in its path, or of what its noun's POST makes of its example: that does for most. A recipe arranges what that does not.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { FeeRate } from '../../src/core/fee-rate.ts';
import type { Txid } from '../../src/core/outpoint.ts';
import { makeProof } from '../../src/core/request-signatures/proof-of-possession.ts';
import { travelRuleExample } from '../../src/families/c-platform/travel-rule/travel-rule-answer.ts';
import type { Json } from './app.ts';
import { APPROVAL_RECIPES } from './approval-recipes.ts';
import { CONNECTION_RECIPES } from './connection-recipes.ts';
import { cosigner } from './cosigner.ts';
import { DLC_RECIPES } from './dlc-recipes.ts';
import { GOVERNANCE_RECIPES } from './governance-recipes.ts';
import { MOBILE_RECIPES } from './mobile-recipes.ts';
import { NOTIFICATION_RECIPES } from './notification-recipes.ts';
import { type Given, NOBODY } from './operation-calls.ts';
import type { OperationWorld } from './operation-world.ts';
import { ORACLE_RECIPES } from './oracle-recipes.ts';
import { REPORT_RECIPES } from './report-recipes.ts';
import { eventually } from './service-process.ts';
import { TAPROOT_RECIPES } from './taproot-recipes.ts';
import { WEBHOOK_RECIPES } from './webhook-recipes.ts';

export const ELSEWHERE = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

export type Recipe = (world: OperationWorld) => Promise<Given>;

const payment = (amount = '0.01'): Json => ({
  recipients: [{ address: ELSEWHERE, amount }],
  fee_rate: '2',
  rbf: true,
});

/** Buries the payments of before: coins behind long chains of unconfirmed ones cannot be spent. */
async function aBlock(world: OperationWorld): Promise<void> {
  await world.make('POST', '/api/v1/bitcoin/blocks', { count: 1 });
  await world.service.synced();
}

/** A payment that is in the mempool. */
async function paid(world: OperationWorld): Promise<string> {
  await aBlock(world);
  return (await world.make('POST', '/api/v1/transactions', { ...payment(), wallet_id: world.ids.wallet_id })).txid;
}

/** One that has fallen out of it, and cannot come back. */
async function evicted(world: OperationWorld): Promise<Given> {
  const txid = await paid(world);
  const { simulated } = world.service;
  simulated.setMempoolLimits({ minFeeRate: 100_000n as FeeRate });
  await simulated.evict(txid as never);
  return {
    params: { txid },
    after: () => simulated.setMempoolLimits({ minFeeRate: 0n as FeeRate }),
  };
}

const ofPayment =
  (body?: Json): Recipe =>
  async (world) => ({ params: { txid: await paid(world) }, ...(body === undefined ? {} : { body }) });

const party = cosigner('recipes');
const sharedWallets = new WeakMap<OperationWorld, Promise<string>>();

/** A payment that waits for the signature of a party that is not the service. */
async function awaitingSignature(world: OperationWorld): Promise<Json> {
  const made = sharedWallets.get(world) ?? sharedWallet(world);
  sharedWallets.set(world, made);
  const wallet_id = await made;
  // Whoever asks for whatever may have archived it.
  await world.make('PATCH', `/api/v1/wallets/${wallet_id}`, { archived: false });
  const { address } = await world.make('POST', `/api/v1/wallets/${wallet_id}/addresses`);
  const deposit = { ...payment(), recipients: [{ address, amount: '0.02' }], wallet_id: world.ids.wallet_id };
  await world.make('POST', '/api/v1/transactions', deposit);
  await aBlock(world);
  return world.make('POST', '/api/v1/transactions', { ...payment(), wallet_id });
}

async function sharedWallet(world: OperationWorld): Promise<string> {
  const wallet = { name: 'shared', type: 'multisig', backup_type: 'none', required: 2, cosigners: [party.multisigKey] };
  return (await world.make('POST', '/api/v1/wallets', wallet)).wallet_id;
}

const ofCoin: Recipe = async (world) => ({
  params: { wallet_id: world.ids.cold_wallet_id as string },
  body: { outpoints: [world.coin] },
});

const newName = (): string => `made ${randomUUID()}`;

/** An API key of the tenant's, for whatever is done with it. */
const ofApiKey =
  (body?: Json): Recipe =>
  async (world) => {
    const { api_key_id } = await world.make('POST', '/api/v1/api-keys', { name: newName(), scopes: ['wallets:read'] });
    return { params: { api_key_id }, ...(body === undefined ? {} : { body }) };
  };

/** An account beside the tenant. */
async function anAccount(world: OperationWorld): Promise<string> {
  return (await world.make('POST', '/api/v1/accounts', { name: newName() }, { by: world.callers.platform })).account_id;
}

/** A record of the tenant's audit log that is sealed: the oldest one, once there is a seal. */
async function aSealedRecord(world: OperationWorld): Promise<string> {
  return eventually('a record is sealed', async () => {
    const { data } = await world.make('GET', '/api/v1/compliance/audit?limit=100');
    return (data as Json[]).find(({ seal }) => seal !== null)?.record_id;
  });
}

/** What enrols a new key for another of the tenant's credentials. */
function aPublicKey(world: OperationWorld): Json {
  const { accountId, siblingId } = world.callers;
  const { publicJwk, privateJwk } = world.service.app.services.signingKeys.newPair();
  return {
    public_key: publicJwk,
    credential: { kind: 'api_key', id: siblingId },
    proof: makeProof(privateJwk, { accountId, credentialId: siblingId }, Math.floor(world.now() / 1000)),
  };
}

/** As the ledger writes it down of a deposit whose payer is listed. */
async function aFrozenDeposit(world: OperationWorld): Promise<string> {
  const txid = randomBytes(32).toString('hex') as Txid;
  const lists = [{ listId: 'scl_3mVb1k7Q2xYt9LpRw0Zc5A', name: 'sanctions', address: ELSEWHERE }];
  const { accountId } = world.callers;
  const at = world.now();
  await world.service.app.store.write((tx) =>
    tx.screenedDeposits.insert({ accountId, txid, status: 'frozen', lists, createdAt: at, updatedAt: at }),
  );
  return txid;
}

const ofSigningKey: Recipe = async (world) => {
  const { key_id } = await world.make('POST', '/api/v1/signing-keys', aPublicKey(world));
  return { params: { key_id } };
};

/** An OAuth client of the tenant's. */
const aClient = (world: OperationWorld): Promise<Json> =>
  world.make('POST', '/api/v1/oauth-clients', { name: newName(), scopes: ['wallets:read'] });

const ofClient =
  (body?: Json): Recipe =>
  async (world) => ({
    params: { client_id: (await aClient(world)).client_id },
    ...(body === undefined ? {} : { body }),
  });

/** A person of the tenant's, for what administrators do with one. */
const ofUser = (): Recipe => async (world) => {
  const { userId, sessionId } = await world.callers.person();
  return { params: { user_id: userId, session_id: sessionId } };
};

const ofRefreshToken: Recipe = async (world) => ({
  body: { refresh_token: (await world.callers.person()).refreshToken },
});

/** A person with a secret for a second factor that is not in force yet. */
async function withSecret(world: OperationWorld) {
  const person = await world.callers.person();
  const { secret } = await world.make(
    'POST',
    '/api/v1/auth/totp',
    { password: person.password },
    { by: person.caller },
  );
  return { ...person, secret: secret as string };
}

async function withSecondFactor(world: OperationWorld) {
  const person = await withSecret(world);
  const totp = codeOf(person.secret, world.now());
  const { recovery_codes } = await world.make('POST', '/api/v1/auth/totp/confirm', { totp }, { by: person.caller });
  return { ...person, recoveryCode: recovery_codes[0] as string };
}

/** A person with an address that is not confirmed. The limits of a day are not what these tests are about. */
async function withAddress(world: OperationWorld) {
  const email = `${randomUUID()}@example.net`;
  const person = await world.callers.person({ email });
  const { accountId } = world.callers;
  const after = () =>
    world.service.app.store.write((tx) => tx.emailConfirmations.update({ accountId, email }, { sent: 0 }));
  return { ...person, email, after };
}

const codeOf = (secret: string, timestamp: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });

/** An address that is new, and the scan of one. */
async function anAddress(world: OperationWorld): Promise<string> {
  return (await world.make('POST', `/api/v1/wallets/${world.ids.wallet_id}/addresses`)).address;
}
const ofAddressScan: Recipe = async (world) => {
  const address = await anAddress(world);
  const { scan_id } = await world.make('POST', `/api/v1/bitcoin/addresses/${address}/scans`, {});
  return { params: { address, scan_id } };
};

const newEntry = async (world: OperationWorld) => ({ name: newName(), address: await anAddress(world) });
/** An entry of the address book, for whatever is done with it. */
const ofEntry =
  (body?: Json): Recipe =>
  async (world) => {
    const { address_book_id } = await world.make('POST', '/api/v1/enterprise/address-book', await newEntry(world));
    return { params: { address_book_id }, ...(body === undefined ? {} : { body }) };
  };

const ofReplay: Recipe = async (world) => {
  const { replay_id } = await world.make('POST', '/api/v1/enterprise/policies/replay', {
    from: '2026-01-01T00:00:00Z',
  });
  return { params: { replay_id } };
};

export const RECIPES: Readonly<Record<string, Recipe>> = {
  // There is one of the account: each request finds it.
  'account-ai-budget.replace': async (world) => {
    await world.make('PUT', '/api/v1/ai/budget', { usd_per_month: '50.00' });
    return {};
  },
  ...TAPROOT_RECIPES,
  ...DLC_RECIPES,
  ...GOVERNANCE_RECIPES,
  ...ORACLE_RECIPES,
  ...CONNECTION_RECIPES,
  ...WEBHOOK_RECIPES,
  ...MOBILE_RECIPES,
  ...APPROVAL_RECIPES,
  ...NOTIFICATION_RECIPES,
  ...REPORT_RECIPES,
  'replay.get': ofReplay,
  'replay.delete': ofReplay,
  'replay-difference.list': ofReplay,
  'idempotency.get': async (world) => {
    await world.make('POST', '/api/v1/bitcoin/blocks', { count: 1 }, { idempotencyKey: 'asked-for' });
    return { params: { key: 'asked-for' } };
  },
  'transaction.create': async (world) => {
    await aBlock(world);
    return { body: { ...payment(), wallet_id: world.ids.wallet_id } };
  },
  'transaction.bulk-create': async (world) => {
    await aBlock(world);
    const one = { ...payment(), wallet_id: world.ids.wallet_id };
    return { body: { transactions: [one, { ...one, label: 'second' }] } };
  },
  'transaction.bump': ofPayment({ fee_rate: '12' }),
  'transaction.cancel': ofPayment({}),
  'transaction.cpfp': ofPayment({ fee_rate: '15' }),
  'wallet-export.get': async () => ({ params: { format: 'bip388' } }),
  'transaction-psbt.get': async (world) => ({ params: { txid: (await awaitingSignature(world)).txid } }),
  'transaction-signature.create': async (world) => {
    const { txid, psbt } = await awaitingSignature(world);
    return { params: { txid }, body: { psbt: party.sign(psbt) } };
  },
  'transaction.abandon': evicted,
  'wallet-utxo.lock': ofCoin,
  'wallet-utxo.unlock': ofCoin,
  'wallet-utxo.freeze': ofCoin,
  'wallet-utxo.unfreeze': ofCoin,
  'message.sign-with-wallet': async (world) => {
    const wallet_id = world.ids.wallet_id as string;
    const { address } = await world.make('POST', `/api/v1/wallets/${wallet_id}/addresses`);
    return { params: { wallet_id }, body: { address, message: 'Hello World' } };
  },
  'blocks.mine': async (world) => {
    await aBlock(world);
    return { body: { count: 1 } };
  },
  'merkle-proof.get': async (world) => ({ params: { txid: world.coin.txid } }),
  'mempool-transaction.get': ofPayment(),
  'chain-transaction.broadcast': async (world) => {
    const { transaction } = await world.make('GET', `/api/v1/bitcoin/transactions/${await paid(world)}`);
    return { body: { transaction } };
  },
  'blockchain-transaction.submit': async (world) => {
    const { transaction: raw } = await world.make('GET', `/api/v1/bitcoin/transactions/${await paid(world)}`);
    return { body: { raw } };
  },
  'wallet-label.import': async (world) => {
    const { address } = await world.make('POST', `/api/v1/wallets/${world.ids.wallet_id}/addresses`);
    return { body: `${JSON.stringify({ type: 'addr', ref: address, label: 'Invoice' })}\n` };
  },
  'oauth-client.get': ofClient(),
  'oauth-client.revoke': ofClient(),
  'oauth-client.rotate': ofClient({ overlap_seconds: 60 }),
  'oauth-token.issue': async (world) => {
    const { client_id, client_secret } = await aClient(world);
    return { body: { grant_type: 'client_credentials', client_id, client_secret } };
  },
  'oauth-token.revoke': async (world) => {
    const { client_id, client_secret } = await aClient(world);
    const form = { grant_type: 'client_credentials', client_id, client_secret };
    const { access_token: token } = await world.make('POST', '/oauth/token', form, { by: NOBODY });
    return { body: { token, client_id, client_secret } };
  },
  'user.create': async () => ({
    body: { username: `u${randomUUID()}`, password: `words of ${randomUUID()}`, scopes: ['wallets:read'] },
  }),
  'user.get': ofUser(),
  'user.update': async (world) => ({
    ...(await ofUser()(world)),
    body: { username: `u${randomUUID()}`, name: 'Renamed', role: 'operator', scopes: ['wallets:read'] },
  }),
  'user.delete': ofUser(),
  'user-resource.create': async () => ({
    body: { username: `u${randomUUID()}`, email: `${randomUUID()}@example.com`, password: `words of ${randomUUID()}` },
  }),
  'user-resource.get': ofUser(),
  'user-resource.update': async (world) => ({
    ...(await ofUser()(world)),
    body: { name: 'Renamed', email: `${randomUUID()}@example.com` },
  }),
  'user-resource.delete': ofUser(),
  'user-password.reset': ofUser(),
  'user-totp.remove': async (world) => ({ params: { user_id: (await withSecondFactor(world)).userId } }),
  'user-session.list': ofUser(),
  'user-session.end': ofUser(),
  'auth.login': async (world) => {
    const { username, password } = await world.callers.person();
    return { body: { username, password } };
  },
  'auth.refresh': ofRefreshToken,
  'auth.logout': ofRefreshToken,
  // Another than the one that asks: with that its token would end, too.
  'auth-session.end': async (world) => {
    const { caller, username, password } = await world.callers.person();
    const { session_id } = await world.make('POST', '/api/v1/auth/login', { username, password }, { by: NOBODY });
    return { params: { session_id }, caller };
  },
  'auth-totp.start': async (world) => {
    const { caller, password } = await world.callers.person();
    return { body: { password }, caller };
  },
  'auth-totp.confirm': async (world) => {
    const { caller, secret } = await withSecret(world);
    return { body: { totp: codeOf(secret, world.now()) }, caller };
  },
  'auth-totp.remove': async (world) => {
    const { caller, recoveryCode } = await withSecondFactor(world);
    return { body: { totp: recoveryCode }, caller };
  },
  'auth-email.start': async (world) => {
    const { caller, after } = await withAddress(world);
    return { body: undefined, caller, after };
  },
  'auth-email.confirm': async (world) => {
    const { caller, email, after } = await withAddress(world);
    await world.make('POST', '/api/v1/auth/email', undefined, { by: caller });
    await after();
    const { mail } = world.mails.taken.find(({ to }) => to.includes(email))!;
    return { body: { code: /\b[0-9A-Za-z]{12}\b/.exec(mail.text!)![0] }, caller };
  },
  'audit.get': async (world) => ({ params: { record_id: await aSealedRecord(world) } }),
  'audit.prove': async (world) => ({ params: { record_id: await aSealedRecord(world) } }),
  'audit.anchor': async (world) => {
    // The log's keys are made when a head is first asked for.
    await world.make('GET', '/api/v1/compliance/audit/checkpoint');
    await aBlock(world);
    return { body: { fee_rate: '2', wallet_id: world.ids.wallet_id } };
  },
  'travel-rule.get': ofPayment(),
  'travel-rule.replace': ofPayment({ travel_rule: travelRuleExample }),
  'screened-deposit.release': async (world) => ({ params: { txid: await aFrozenDeposit(world) } }),
  'signing-key.create': async (world) => ({ body: aPublicKey(world) }),
  'signing-key.get': ofSigningKey,
  'signing-key.revoke': ofSigningKey,
  'api-key.get': ofApiKey(),
  'api-key.revoke': ofApiKey(),
  'api-key.rotate': ofApiKey({ overlap_seconds: 60 }),
  'account.create': async () => ({ body: { name: newName() } }),
  'account.freeze': async (world) => ({ params: { account_id: await anAccount(world) } }),
  'account.unfreeze': async (world) => {
    const account_id = await anAccount(world);
    await world.make('POST', `/api/v1/accounts/${account_id}/freeze`, undefined, { by: world.callers.platform });
    return { params: { account_id } };
  },
  'address-book-entry.create': async (world) => ({ body: await newEntry(world) }),
  'address-book-entry.import': async (world) => ({
    body: `name,address\r\n${newName()},${await anAddress(world)}\r\n`,
  }),
  'address-book-entry.get': ofEntry(),
  'address-book-entry.update': ofEntry({ name: 'Renamed' }),
  'address-book-entry.delete': ofEntry(),
  'address-scan.start': async (world) => ({ params: { address: await anAddress(world) }, body: { from_height: 0 } }),
  'address-scan.get': ofAddressScan,
  'address-scan.delete': ofAddressScan,
  'wallet.rescan': async (world) => {
    // A scan of its own wallet may still be under way.
    const wallet = await world.make('POST', '/api/v1/wallets', {
      name: 'scanned',
      type: 'segwit',
      backup_type: 'none',
    });
    return { params: { wallet_id: wallet.wallet_id }, body: { from_height: 0 } };
  },
};

const NO_HISTORY = { status: 422, slug: 'not_enough_data', test: 'test/families/c-platform/analytics.test.ts' };

/** What cannot succeed in a world of one service and one day, the refusal there, and the test in which it does. */
export const ELSEWHERE_DONE: Readonly<Record<string, { status: number; slug: string; test: string }>> = {
  'sso.start': { status: 404, slug: 'not_found', test: 'test/families/c-platform/sso.test.ts' },
  'sso.finish': { status: 404, slug: 'not_found', test: 'test/families/c-platform/sso.test.ts' },
  'trend.get': NO_HISTORY,
  'prediction.get': NO_HISTORY,
};
