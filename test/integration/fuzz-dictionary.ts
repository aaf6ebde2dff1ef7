/** What requests may ask for: things that are there, as the lists of the tenant show them now, and values that mean something. */
import { FORM } from '../../src/hooks/input/form-bodies.ts';
import type { Json } from '../builders/app.ts';
import type { BuiltRequest } from '../builders/operation-calls.ts';
import { ELSEWHERE } from '../builders/operation-recipes.ts';
import type { OperationWorld } from '../builders/operation-world.ts';
import type { Dictionary } from './arbitrary-requests.ts';

const MNEMONIC = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const XPUB =
  'tpubDDCEUa93989u7mn1gzUY5gMm3b8ASiYuQjsGBRwDUBbGm5Kp3KpNHavgwHXgx6pqyCviGXcBzsNDous6opP8AzN9x17NxCYfNbQBWVuYyrS';
const AMOUNTS = ['0.5', '0.00000001', '0.00000546', '12', '2000', '21000000', '0.123456789', 'max', '0'];

/** Requests that would succeed now, and what they hold by the name of the parameter or field. */
async function arrangedFor(world: OperationWorld) {
  const values: Record<string, unknown[]> = {};
  const whole: BuiltRequest[] = [];
  const note = (given: unknown) => {
    for (const [name, value] of Object.entries((given ?? {}) as object))
      values[name] = [...(values[name] ?? []), value];
  };
  for (const operation of world.operations) {
    const given = await world.given(operation);
    await given.after?.();
    whole.push(await world.built(operation, given));
    note(given.params);
    if (operation.bodyContentType === undefined || operation.bodyContentType === FORM) note(given.body);
  }
  return { values, whole };
}

/** A round may have set rules against what the next one arranges, and spent or held the wallet's coins. */
async function allowPayments(world: OperationWorld, address: string): Promise<void> {
  for (const { policy_id } of (await world.make('GET', '/api/v1/enterprise/policies?limit=100')).data)
    await world.make('DELETE', `/api/v1/enterprise/policies/${policy_id}`);
  await world.make('PUT', '/api/v1/enterprise/config', {});
  await world.make('POST', '/api/v1/bitcoin/blocks', { count: 20, address });
  await world.make('POST', '/api/v1/bitcoin/blocks', { count: 100 });
  await world.service.synced();
}

export async function dictionaryOf(
  world: OperationWorld,
): Promise<{ dictionary: Dictionary; whole: readonly BuiltRequest[] }> {
  const { ids } = world;
  // A round may have archived them.
  for (const id of [ids.wallet_id, ids.cold_wallet_id])
    await world.make('PATCH', `/api/v1/wallets/${id}`, { archived: false });
  const listed = async (path: string): Promise<Json[]> => (await world.make('GET', path)).data;
  const wallets = await listed('/api/v1/wallets?limit=100');
  const addresses = await listed(`/api/v1/wallets/${ids.wallet_id}/addresses?limit=20`);
  const coins = await listed(`/api/v1/wallets/${ids.wallet_id}/utxos?limit=20`);
  const payments = await listed('/api/v1/transactions?limit=50');
  const { next_cursor: cursor } = (await world.make('GET', '/api/v1/wallets?limit=1')).pagination;
  const outpoints = coins.map(({ txid, vout }) => `${txid}:${vout}`);
  const refs = [...addresses.map(({ address }) => address), ...payments.map(({ txid }) => txid), ...outpoints, XPUB];
  await allowPayments(world, addresses[0]?.address);
  const { values: arranged, whole } = await arrangedFor(world);
  const label = (ref: unknown, more: Json = {}) => JSON.stringify({ type: 'addr', ref, label: 'fuzzed', ...more });
  const dictionary = {
    ...arranged,
    wallet_id: [
      ids.wallet_id,
      ids.cold_wallet_id,
      ...wallets.map(({ wallet_id }) => wallet_id),
      `wal_${'0'.repeat(22)}`,
    ],
    txid: [
      ...(arranged.txid ?? []),
      ...payments.map(({ txid }) => txid),
      ...coins.map(({ txid }) => txid),
      'ab'.repeat(32),
    ],
    key: [...(arranged.key ?? []), 'paid', 'again', 'never'],
    address: [ELSEWHERE, 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', ...addresses.map(({ address }) => address)],
    outpoints: coins.map(({ txid, vout }) => ({ txid, vout })),
    include: outpoints,
    exclude: outpoints,
    vout: [0, 1],
    amount: AMOUNTS,
    max_fee: AMOUNTS,
    fee_rate: ['1', '2.5', '30', '10000', '0.001', '0.1'],
    cursor: [cursor],
    limit: ['1', '100', '101'],
    offset: ['0', '5', '-1', String(Number.MAX_SAFE_INTEGER)],
    height: ['0', '100', '140', '4294967295'],
    count: [1, 0, -1, 100_000],
    mnemonic: [MNEMONIC, `${MNEMONIC} about`],
    mnemonic_passphrase: ['a passphrase of words'],
    backup: ['e.e.e.e.e'],
    backup_passphrase: ['correct horse battery staple'],
    xpub: [XPUB, XPUB.slice(0, -1)],
    cosigners: [`[d34db33f/48h/1h/0h/2h]${XPUB}`, XPUB],
    descriptor: [
      `wpkh(${XPUB}/<0;1>/*)`,
      `wsh(and_v(v:pk(${XPUB}/<0;1>/*),older(10)))`,
      'raw(00)',
      'wsh('.repeat(3_000),
    ],
    birthday: [0, 100, 10_000_000, '2026-01-01', '0001-01-01', '9999-12-31T23:59:59Z'],
    external_id: ['one', 'two'],
    'application/jsonl': [
      refs.map((ref) => label(ref)).join('\n'),
      label(refs[0], { label: '\u0000' }),
      label('x', { type: 'x' }),
      `${label(refs[0])}\n[]`,
    ],
  };
  return { dictionary, whole };
}
