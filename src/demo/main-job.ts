import type { ApiClient } from './api-client.ts';
import { type ChannelUpdate, openLiveEvents } from './live-events.ts';
import type { Narrator } from './narrator.ts';

interface Wallet {
  wallet_id: string;
  descriptors: { external: string };
  balance: { confirmed: string; pending: string };
}
interface Transaction {
  txid: string;
  status: string;
  fee: string;
  fee_rate: string;
  vsize: number;
  replaces: string | null;
  block_height: number | null;
}

/** A wallet, a deposit, a payment to three people, a higher fee, a block; every step seen twice: answered, and live. */
export async function narrateMainJob(scene: {
  api: ApiClient;
  baseUrl: string;
  apiKey: string;
  narrator: Narrator;
}): Promise<void> {
  const { api, baseUrl, apiKey, narrator } = scene;
  const status = await api.get<{ network: string; source: string; height: number }>('/api/v1/blockchain/status');
  narrator.fact('network', status.network);
  narrator.fact('chain', `${status.source} at height ${status.height}`);
  if (status.network !== 'regtest') throw new Error('the demo mines its own coins, so it runs on regtest only');

  narrator.step('A dashboard subscribes to transactions and blocks');
  const quiet = { blocks: false };
  const live = await openLiveEvents(baseUrl, apiKey, (update) => {
    if (update.type === 'block' && quiet.blocks) return;
    narrator.event(describe(update));
  });
  narrator.fact('socket', new URL('/v1/ws', baseUrl.replace(/^http/, 'ws')).href);

  try {
    narrator.step('The backend makes a wallet');
    const payer = await api.post<Wallet>('/api/v1/wallets', {
      name: 'Treasury',
      type: 'segwit',
      backup_type: 'encrypted',
    });
    narrator.fact('wallet', payer.wallet_id);
    narrator.fact('descriptor', payer.descriptors.external);

    narrator.step('It receives bitcoin: 101 blocks are mined, the first of them to its address');
    const { address } = await api.post<{ address: string }>(`/api/v1/wallets/${payer.wallet_id}/addresses`);
    narrator.fact('address', address);
    quiet.blocks = true;
    await api.post('/api/v1/bitcoin/blocks', { count: 1, address });
    const mined = await api.post<{ data: { hash: string }[] }>('/api/v1/bitcoin/blocks', { count: 100 });
    const last = mined.data.at(-1)?.hash;
    await live.until('the last mined block', (update) => update.type === 'block' && update.data.hash === last);
    quiet.blocks = false;
    narrator.fact('balance', await balanceOf(api, payer.wallet_id));

    narrator.step('It pays three people in one transaction');
    const recipients: { address: string; amount: string }[] = [];
    for (const [type, amount] of [
      ['segwit', '0.50000000'],
      ['taproot', '1.25000000'],
      ['legacy', '0.07500000'],
    ] as const) {
      const wallet = await api.post<Wallet>('/api/v1/wallets', {
        name: `Supplier (${type})`,
        type,
        backup_type: 'none',
      });
      const reserved = await api.post<{ address: string }>(`/api/v1/wallets/${wallet.wallet_id}/addresses`);
      recipients.push({ address: reserved.address, amount });
      narrator.fact(type, `${amount} BTC to ${reserved.address}`);
    }
    const payment = await api.post<Transaction>('/api/v1/transactions', {
      wallet_id: payer.wallet_id,
      recipients,
      fee_rate: '1',
      rbf: true,
    });
    tellTransaction(narrator, payment);

    narrator.step('It bumps the fee to 12 sat/vB');
    const bumped = await api.post<Transaction>(`/api/v1/transactions/${payment.txid}/bump`, { fee_rate: '12' });
    tellTransaction(narrator, bumped);
    await live.until(
      'the replaced payment',
      (update) => update.data.txid === payment.txid && update.data.status === 'replaced',
    );

    narrator.step('A block confirms it');
    await api.post('/api/v1/bitcoin/blocks', { count: 1 });
    await live.until(
      'the confirmation',
      (update) => update.data.txid === bumped.txid && update.data.status === 'confirmed',
    );
    const final = await api.get<Transaction>(`/api/v1/transactions/${bumped.txid}`);
    tellTransaction(narrator, final);
    narrator.fact('balance', await balanceOf(api, payer.wallet_id));
    narrator.done('Done: answered over REST, seen live over WebSocket, settled on the chain.');
  } finally {
    live.close();
  }
}

async function balanceOf(api: ApiClient, walletId: string): Promise<string> {
  const { balance } = await api.get<Wallet>(`/api/v1/wallets/${walletId}`);
  return `${balance.confirmed} BTC confirmed, ${balance.pending} BTC pending`;
}

function tellTransaction(narrator: Narrator, transaction: Transaction): void {
  narrator.fact('txid', transaction.txid);
  narrator.fact('fee', `${transaction.fee} BTC (${transaction.fee_rate} sat/vB, ${transaction.vsize} vB)`);
  if (transaction.replaces) narrator.fact('replaces', transaction.replaces);
  const where = transaction.block_height === null ? '' : ` at height ${transaction.block_height}`;
  narrator.fact('status', transaction.status + where);
}

function describe(update: ChannelUpdate): string {
  const { data } = update;
  if (update.type === 'block') return `#${update.seq} block ${data.height} ${String(data.hash).slice(0, 16)}…`;
  const height = data.block_height === null ? '' : ` in block ${data.block_height}`;
  return `#${update.seq} transaction ${String(data.txid).slice(0, 16)}… ${data.status}${height}`;
}
