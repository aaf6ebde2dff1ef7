/** The service on the simulated chain with a wallet that has coins, for benches. */
import { address as addressCodec } from 'bitcoinjs-lib';
import { networkParameters } from '../../src/core/network.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../builders/app.ts';
import { testKey } from '../builders/test-key.ts';

export const outsideAddress = (name: string): string =>
  addressCodec.fromOutputScript(testKey(name).script, networkParameters('regtest'));

/** `coins` mature mining rewards, each on an address of its own. */
export async function startFundedApp(
  coins: number,
  options: TestAppOptions = {},
): Promise<{ app: TestApp; walletId: string }> {
  const app = await startTestApp(options);
  const wallet = (await app.post('/api/v1/wallets', { name: 'bench', type: 'segwit', backup_type: 'none' })).body;
  for (let i = 0; i < coins; i++) {
    const { body } = await app.post(`/api/v1/wallets/${wallet.wallet_id}/addresses`);
    const script = addressCodec.toOutputScript(body.address, networkParameters('regtest'));
    await app.simulated.mine(1, Buffer.from(script).toString('hex'));
  }
  await app.simulated.mine(100, '51');
  await app.synced();
  return { app, walletId: wallet.wallet_id };
}
