/**
 * What `npm run test:long` runs and `npm test` does not: several processes, real engines (bitcoind, PostgreSQL, Redis, a browser), every
 * operation against every credential or bad day, crash series, random histories. All else is in one process, on SQLite and the
 * simulated chain.
 */
export const LONG = [
  'test/integration/**/*.test.ts',
  'test/conformance/store-postgres.test.ts',
  'test/conformance/chain-source-{bitcoind,esplora}.test.ts',
  'test/store/postgres/**/*.test.ts',
  'test/services/ledger/{random-histories,real-node}.test.ts',
  'test/services/transactions/{random-payments,on-postgresql}.test.ts',
  'test/app/process.test.ts',
  'test/cli/**/*.test.ts',
  'test/signing/**/*.test.ts',
];
