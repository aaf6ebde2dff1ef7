import { familyPlugin } from '../../hooks/family.ts';
import { contractOperations } from './contracts/index.ts';
import { feeOperations } from './fees/index.ts';
import { type RealtimeDeps, realtime, realtimeSocket } from './realtime/index.ts';
import { transactionOperations } from './transactions/index.ts';
import { walletOperations } from './wallets/index.ts';

type Services = Parameters<typeof walletOperations>[0] &
  Parameters<typeof transactionOperations>[0] &
  Parameters<typeof feeOperations>[0] &
  Parameters<typeof contractOperations>[0] & { realtime: RealtimeDeps };

/** Family A: wallets, transactions, fees, contracts, and their updates over WebSocket. */
export const transactions = familyPlugin<Services>({
  name: 'a-transactions',
  operations: (services) => [
    ...walletOperations(services),
    ...transactionOperations(services),
    ...feeOperations(services),
    ...contractOperations(services),
  ],
  sockets: [realtimeSocket],
  needs: ['websocket-server'],
  routes: async (app, services) => {
    await app.register(realtime, services.realtime);
  },
});
