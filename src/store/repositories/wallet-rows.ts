import { rowsOf } from '../queries/rows-of.ts';
import type { WalletRecord, WalletScan } from '../records.ts';
import { type FlatWallet, wallets as table } from '../tables/wallets.ts';

export const flatScan = ({ state, fromHeight, atHeight, toHeight, error }: WalletScan) => ({
  scanState: state,
  scanFrom: fromHeight,
  scanAt: atHeight,
  scanTo: toHeight,
  scanError: error,
});
export const flatWallet = ({ scan, ...wallet }: WalletRecord): FlatWallet => ({ ...wallet, ...flatScan(scan) });

const flat = rowsOf(table);
export const wallets = rowsOf(table, '', (row): WalletRecord => {
  const { scanState, scanFrom, scanAt, scanTo, scanError, ...wallet } = flat.record(row);
  const scan = { state: scanState, fromHeight: scanFrom, atHeight: scanAt, toHeight: scanTo, error: scanError };
  return { ...wallet, scan };
});
