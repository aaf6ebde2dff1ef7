/**
 * What `npm run test:long` runs and `npm test` does not: most of what needs several processes or real engines (bitcoind, PostgreSQL, a
 * browser), every operation against every credential or bad day, crash series, random histories, random bytes, comparisons with other
 * implementations, and the largest that is taken. A file that takes less than ten seconds may start an engine and stay in `npm test`.
 */
export const LONG = [
  'test/integration/**/*.test.ts',
  'test/conformance/store-postgres.test.ts',
  'test/conformance/chain-source-{bitcoind,esplora}.test.ts',
  'test/store/postgres/**/*.test.ts',
  'test/chain/{bitcoind/node-modes,node-finder/regtest-node}.test.ts',
  'test/services/ledger/{random-histories,real-node}.test.ts',
  'test/services/transactions/{random-payments,on-postgresql,coin-pools}.test.ts',
  'test/services/{approvals,notifications,oracles,policies}/on-postgresql.test.ts',
  'test/services/approvals/many-waiting.test.ts',
  'test/services/policies/{matrix,replay-worker}.test.ts',
  'test/services/wallets/restored-scripts.test.ts',
  'test/services/taproot/musig-nonces.test.ts',
  'test/services/secrets/rotate-master-key.test.ts',
  'test/app/{every-operation,newer-schema,process,worker-operations}.test.ts',
  'test/cli/**/*.test.ts',
  'test/signing/**/*.test.ts',
  'test/engines/forecasting/coverage.test.ts',
  'test/browser/**/*.test.ts',
  'test/services/contracts/{crashes,offers-at-once,replicas,restored-contracts,tracking-on-postgresql}.test.ts',
  'test/services/contracts/signing/adaptor-work.test.ts',
  'test/families/c-platform/{address-book-large,connections,replays}.test.ts',
  'test/families/c-platform/{approvals-judged-again,approvals-lost-coins,ended-meanwhile}.test.ts',
  'test/families/c-platform/{held-contract-steps,held-requests,held-signatures}.test.ts',
  'test/families/b-categories/bitcoin/address-scans.test.ts',
  'test/families/a-transactions/transactions/musig-wallets.test.ts',
  'test/families/e-psbt/{large,mutated-bytes,worker-thread}.test.ts',
  'test/core/psbt/{check-budget,edited-bytes,roles-on-edited-bytes,differential,signing-differential}.test.ts',
  'test/core/dlc/{contract/contract-properties,messages/round-trips}.test.ts',
  'test/core/scripts/interpreter/any-bytes.test.ts',
];
