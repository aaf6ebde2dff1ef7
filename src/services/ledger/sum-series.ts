import { type AddSeries, counted } from '../../metrics/series.ts';

/** What the check of the sums kept of wallets found in this process. */
export const sumSeries =
  (walletSums: () => { checked: number; wrong: number }): AddSeries =>
  (registry) => {
    counted(registry, {
      name: 'ashlar_wallet_sums_checked_total',
      help: 'Wallets whose kept sums this process compared with their coins and addresses, by result',
      label: 'result',
      values: () => {
        const { checked, wrong } = walletSums();
        return [
          ['right', checked - wrong],
          ['wrong', wrong],
        ];
      },
    });
    return undefined;
  };
