/** What contracts' operations need to be done once with success. Of remote contracts the tenant is both sides, each by its messages. */
import type { OracleId } from '../../src/core/ids.ts';
import type { Json } from './app.ts';
import type { Given, TestCaller } from './operation-calls.ts';
import type { Recipe } from './operation-recipes.ts';
import type { OperationWorld } from './operation-world.ts';

const TERMS = { type: 'dlc', oracle: 'local', outcomes: ['win', 'draw', 'lose'], collateral: '0.01000000' };
const at = ({ contract_id }: Json, step: string): string => `/api/v1/dlc/contracts/${contract_id}/${step}`;
const of = ({ contract_id }: Json, body?: Json): Given => ({
  params: { contract_id },
  ...(body === undefined ? {} : { body }),
});

async function aBlock(world: OperationWorld, count = 1): Promise<void> {
  await world.make('POST', '/api/v1/bitcoin/blocks', { count });
  await world.service.synced();
}

/** What is made when it is first asked for: the tenant's oracle, and with its first attestation where the database lives. */
const begun = new WeakMap<OperationWorld, Promise<unknown>>();
async function theOracle(world: OperationWorld): Promise<void> {
  const begin = async () => {
    const event = { oracle: 'local', maturity: '2026-01-01T00:00:00Z', outcomes: ['yes', 'no'] };
    const { event_id } = await world.make('POST', '/api/v1/dlc/events', event);
    await world.make('POST', '/api/v1/dlc/attestations', { oracle: 'local', event_id, outcome: 'yes' });
  };
  const first = begun.get(world) ?? begin();
  begun.set(world, first);
  await first;
}

/** With a coin of its own in a block: what offers hold would be missing elsewhere. */
async function aWallet(world: OperationWorld): Promise<string> {
  await theOracle(world);
  const wallet = { name: 'of a contract', type: 'segwit', backup_type: 'none' };
  const { wallet_id } = await world.make('POST', '/api/v1/wallets', wallet);
  await aCoin(world, (await world.make('POST', `/api/v1/wallets/${wallet_id}/addresses`)).address);
  return wallet_id;
}

async function aCoin(world: OperationWorld, address: string): Promise<void> {
  await aBlock(world);
  const recipients = [{ address, amount: '0.02' }];
  const payment = { recipients, fee_rate: '2', rbf: true, wallet_id: world.ids.wallet_id };
  await world.make('POST', '/api/v1/transactions', payment);
  await aBlock(world);
}

/** With a contract its oracle is registered, where it is not known yet. */
const known = new WeakMap<OperationWorld, Promise<unknown>>();
async function registered(world: OperationWorld, oracleId: OracleId, by: TestCaller): Promise<void> {
  const register = async () => {
    const { public_key } = await world.make('GET', `/api/v1/dlc/oracles/${oracleId}`, undefined, { by });
    await world.make('POST', '/api/v1/dlc/oracles', { name: 'of the others', public_key });
  };
  const first = known.get(world) ?? register();
  known.set(world, first);
  await first;
}

/** The backup of somebody else's contract, whose wallet's words the tenant has, too. */
async function aForeignBackup(world: OperationWorld): Promise<Json> {
  const by = world.callers.byForm.api_key.otherAccount;
  const wallet = { name: 'elsewhere', type: 'segwit', backup_type: 'mnemonic' };
  const { wallet_id, mnemonic } = await world.make('POST', '/api/v1/wallets', wallet, { by });
  await aCoin(world, (await world.make('POST', `/api/v1/wallets/${wallet_id}/addresses`, undefined, { by })).address);
  const contract = await world.make('POST', '/api/v1/contracts', { ...TERMS, wallet_id }, { by });
  await world.make('POST', '/api/v1/wallets', { ...wallet, backup_type: 'none', mnemonic, birthday: 0 });
  await world.quiet();
  await registered(world, contract.oracle, by);
  return world.make('GET', at(contract, 'backup'), undefined, { by });
}

/** Of one holder, its funding transaction in the mempool. */
async function aContract(world: OperationWorld, terms: Json = {}): Promise<Json> {
  return world.make('POST', '/api/v1/contracts', {
    ...TERMS,
    wallet_id: terms.wallet_id ?? (await aWallet(world)),
    ...terms,
  });
}

/** The same for every question that changes nothing. */
const kept = new WeakMap<OperationWorld, Promise<Json>>();
function theContract(world: OperationWorld): Promise<Json> {
  const contract = kept.get(world) ?? aContract(world);
  kept.set(world, contract);
  return contract;
}
const ofTheContract: Recipe = async (world) => of(await theContract(world));

const anOffer = (world: OperationWorld): Promise<Json> => aContract(world, { counterparty: { mode: 'remote' } });

async function aReceivedOffer(world: OperationWorld) {
  const offer = await anOffer(world);
  const received = await world.make('POST', '/api/v1/dlc/offers', { message: offer.messages.offer });
  return { offer, received };
}

async function aSignedContract(world: OperationWorld) {
  const { offer, received } = await aReceivedOffer(world);
  const wallet_id = await aWallet(world);
  const { messages } = await world.make('POST', at(received, 'accept'), { wallet_id });
  const signed = await world.make('POST', at(offer, 'accept'), { message: messages.accept });
  return { signed, received };
}

async function aConfirmedContract(world: OperationWorld): Promise<Json> {
  const { signed, received } = await aSignedContract(world);
  await world.make('POST', at(received, 'sign'), { message: signed.messages.sign });
  await aBlock(world);
  return signed;
}

export const DLC_RECIPES: Readonly<Record<string, Recipe>> = {
  'contract.create': async (world) => {
    return { body: { ...TERMS, wallet_id: await aWallet(world) } };
  },
  'contract.get': ofTheContract,
  'dlc-contract.get': ofTheContract,
  'contract-message.list': ofTheContract,
  'contract-payout.list': ofTheContract,
  'contract-picture.get': ofTheContract,
  'contract-fee.list': ofTheContract,
  'contract.verify': ofTheContract,
  'contract.backup': ofTheContract,
  'contract.execute': async (world) => {
    const contract = await aContract(world);
    await aBlock(world);
    return of(contract);
  },
  'contract.cancel': async (world) => of(await anOffer(world), {}),
  'contract.cpfp': async (world) => of(await aContract(world)),
  'contract.refund': async (world) => {
    const wallet_id = await aWallet(world);
    const { height } = await world.make('GET', '/api/v1/blockchain/status');
    const contract = await aContract(world, { refund_locktime: height + 3, wallet_id });
    await aBlock(world, 3);
    // The service does it by itself, too: whoever asks then is told.
    const { contract_id } = contract;
    while ((await world.make('GET', `/api/v1/contracts/${contract_id}`)).status !== 'refunded')
      await new Promise((resolve) => setTimeout(resolve, 20));
    return of(contract, {});
  },
  'contract.receive': async (world) => ({ body: { message: (await anOffer(world)).messages.offer } }),
  'contract.accept': async (world) => of((await aReceivedOffer(world)).received, { wallet_id: await aWallet(world) }),
  'contract.sign': async (world) => {
    const { signed, received } = await aSignedContract(world);
    return of(received, { message: signed.messages.sign });
  },
  'contract.close': async (world) => of(await aConfirmedContract(world)),
  'contract.check': async (world) => ({ body: { offer: (await anOffer(world)).messages.offer } }),
  'contract.decode': async (world) => ({ body: { message: (await anOffer(world)).messages.offer } }),
  'contract.restore': async (world) => ({ body: { backup: await aForeignBackup(world) } }),
};
