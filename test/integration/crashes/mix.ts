/** The writes that go on while the service is killed. Each carries a mark by which its effect is found again. */
import { address as addressCodec } from 'bitcoinjs-lib';
import { networkParameters } from '../../../src/core/network.ts';
import { testKey } from '../../builders/test-key.ts';
import type { Caller, Wanted } from './caller.ts';
import type { Random } from './random.ts';

export interface World {
  /** Pays; never archived or renamed. */
  readonly main: string;
  /** Its coins are locked and unlocked, its name changes. */
  readonly vault: string;
  readonly vaultCoins: readonly { txid: string; vout: number }[];
}

export interface Kind {
  readonly operation: string;
  readonly weight: number;
  plan(mark: string, world: World, random: Random): Wanted;
  /** The id that an answer tells. */
  idOf(body: any): string;
  /** For what is made: ids of what is there, by mark. What only changes something leaves its trace in the audit log. */
  found?(caller: Caller, world: World): Promise<Map<string, string[]>>;
}

export const payeeScript = (mark: string): Uint8Array => testKey(`payee ${mark}`).script;

export const payeeAddress = (mark: string): string =>
  addressCodec.fromOutputScript(payeeScript(mark), networkParameters('regtest'));

function byMark(members: readonly any[], mark: string, id: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const member of members) {
    if (typeof member[mark] !== 'string') continue;
    found.set(member[mark], [...(found.get(member[mark]) ?? []), member[id]]);
  }
  return found;
}

export const PAYMENT = 'transaction.create';

export const KINDS: readonly Kind[] = [
  {
    operation: PAYMENT,
    weight: 4,
    plan: (mark, { main }) => ({
      method: 'POST',
      path: '/api/v1/transactions',
      body: {
        wallet_id: main,
        recipients: [{ address: payeeAddress(mark), amount: '0.001' }],
        fee_rate: '2',
        rbf: true,
        external_id: mark,
      },
    }),
    idOf: (body) => body.txid,
    found: async (caller) => byMark(await caller.readAll('/api/v1/transactions'), 'external_id', 'txid'),
  },
  {
    operation: 'wallet-address.reserve',
    weight: 4,
    plan: (mark, { main }) => ({
      method: 'POST',
      path: `/api/v1/wallets/${main}/addresses`,
      body: { label: mark },
    }),
    idOf: (body) => body.address,
    found: async (caller, { main }) =>
      byMark(await caller.readAll(`/api/v1/wallets/${main}/addresses`), 'label', 'address'),
  },
  {
    operation: 'wallet.create',
    weight: 1,
    plan: (mark) => ({
      method: 'POST',
      path: '/api/v1/wallets',
      body: { name: mark, type: 'segwit', backup_type: 'mnemonic' },
    }),
    idOf: (body) => body.wallet_id,
    found: async (caller) => byMark(await caller.readAll('/api/v1/wallets'), 'name', 'wallet_id'),
  },
  {
    operation: 'api-key.create',
    weight: 2,
    plan: (mark) => ({
      method: 'POST',
      path: '/api/v1/api-keys',
      body: { name: mark, scopes: ['wallets:read'], role: 'viewer' },
    }),
    idOf: (body) => body.api_key_id,
    found: async (caller) => byMark(await caller.readAll('/api/v1/api-keys'), 'name', 'api_key_id'),
  },
  {
    operation: 'user.create',
    weight: 1,
    plan: (mark) => ({
      method: 'POST',
      path: '/api/v1/users',
      body: { username: mark, scopes: ['wallets:read'] },
    }),
    idOf: (body) => body.user_id,
    found: async (caller) => byMark(await caller.readAll('/api/v1/users'), 'username', 'user_id'),
  },
  {
    operation: 'oauth-client.create',
    weight: 1,
    plan: (mark) => ({
      method: 'POST',
      path: '/api/v1/oauth-clients',
      body: { name: mark, scopes: ['wallets:read'] },
    }),
    idOf: (body) => body.client_id,
    found: async (caller) => byMark(await caller.readAll('/api/v1/oauth-clients'), 'name', 'client_id'),
  },
  {
    operation: 'wallet.update',
    weight: 1,
    plan: (mark, { vault }) => ({ method: 'PATCH', path: `/api/v1/wallets/${vault}`, body: { name: `vault ${mark}` } }),
    idOf: (body) => body.wallet_id,
  },
  ...(['lock', 'unlock'] as const).map(
    (verb): Kind => ({
      operation: `wallet-utxo.${verb}`,
      weight: 1,
      plan: (_, { vault, vaultCoins }, random) => ({
        method: 'POST',
        path: `/api/v1/wallets/${vault}/utxos/${verb}`,
        body: { outpoints: [vaultCoins[random.between(0, vaultCoins.length - 1)]] },
      }),
      idOf: () => '',
    }),
  ),
];
