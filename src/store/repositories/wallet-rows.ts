import type { Selectable } from 'kysely';
import { rowsOf } from '../queries/rows-of.ts';
import type { WalletRecord, WalletScan } from '../records.ts';
import type { Schema } from '../schema.ts';
import { type FlatWallet, wallets as table } from '../tables/wallets.ts';

export const wallets = rowsOf(table);

export const flatScan = ({ state, fromHeight, atHeight, toHeight, error }: WalletScan) => ({
  scanState: state,
  scanFrom: fromHeight,
  scanAt: atHeight,
  scanTo: toHeight,
  scanError: error,
});
export const flatWallet = ({ scan, ...wallet }: WalletRecord): FlatWallet => ({ ...wallet, ...flatScan(scan) });

export const withScan = ({ scanState, scanFrom, scanAt, scanTo, scanError, ...wallet }: FlatWallet): WalletRecord => ({
  ...wallet,
  scan: { state: scanState, fromHeight: scanFrom, atHeight: scanAt, toHeight: scanTo, error: scanError },
});
export const toWallet = (row: Selectable<Schema['wallets']>): WalletRecord => withScan(wallets.record(row));
