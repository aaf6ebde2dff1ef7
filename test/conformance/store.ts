/** What every store must do, whatever the database. Run from store-sqlite.test.ts and store-postgres.test.ts. */
import { afterEach, beforeEach, describe } from 'vitest';
import type { Migration } from '../../src/store/migrations/dialect.ts';
import type { Store } from '../../src/store/store.ts';
import { accountRecord, walletRecord } from '../builders/store-records.ts';
import { addressBookTests } from './store/address-book.ts';
import { addressScanTests } from './store/address-scans.ts';
import { aiCallTests } from './store/ai-calls.ts';
import { approvalTests } from './store/approvals.ts';
import { auditTests } from './store/audit.ts';
import { awaitingTests } from './store/awaiting.ts';
import { coinTests } from './store/coins.ts';
import { complianceCheckTests } from './store/compliance-checks.ts';
import { connectionTests } from './store/connections.ts';
import { contractTests } from './store/contracts.ts';
import { credentialTests } from './store/credentials.ts';
import { deviceTests } from './store/devices.ts';
import { eventTests } from './store/events.ts';
import { exclusionTests } from './store/exclusion.ts';
import { executionTests } from './store/executions.ts';
import { feeObservationTests } from './store/fee-observations.ts';
import { governanceTests } from './store/governance.ts';
import { idempotencyTests } from './store/idempotency.ts';
import { ledgerTests } from './store/ledger.ts';
import { metricSumTests } from './store/metric-sums.ts';
import { metricsTests } from './store/metrics.ts';
import { migrationTests } from './store/migrations.ts';
import { nodeProbeTests } from './store/node-probes.ts';
import { notificationRuleTests } from './store/notification-rules.ts';
import { notificationTests } from './store/notifications.ts';
import { oauthTests } from './store/oauth.ts';
import { oracleTests } from './store/oracles.ts';
import { pageTests } from './store/pages.ts';
import { policyTests } from './store/policies.ts';
import { recordTests } from './store/records.ts';
import { replayTests } from './store/replays.ts';
import { reportSourceTests } from './store/report-sources.ts';
import { rowLockTests } from './store/row-locks.ts';
import { screeningTests } from './store/screening.ts';
import { signingKeyTests } from './store/signing-keys.ts';
import { spendSumTests } from './store/spend-sums.ts';
import { sumTests } from './store/sums.ts';
import { taprootTests } from './store/taproot.ts';
import { travelRuleTests } from './store/travel-rule.ts';
import { usageTests } from './store/usage.ts';
import { userTests } from './store/users.ts';
import { webhookTests } from './store/webhooks.ts';
import { writeTests } from './store/writes.ts';

/** One database, and ways to it. */
export interface StoreHarness {
  /** Opens the store a service uses on the database. */
  open(options?: { migrations?: readonly Migration[] }): Promise<Store>;
  /** Opens a second store on the same database while the first is open, as another process would. */
  openBeside(): Promise<Store>;
  /** Asks the database itself, past the store, on a connection of its own. */
  observe(sql: string): Promise<Record<string, unknown>[]>;
  /** Changes the database itself, past the store. */
  execute(sql: string): Promise<void>;
  /** Removes the database. Stores are closed by then. */
  remove(): Promise<void>;
}

export interface StoreContext {
  readonly store: Store;
  readonly harness: StoreHarness;
  /** Closes the store and opens it again. */
  restart(): Promise<Store>;
  /** Opens a second store, closed with the test. */
  beside(): Promise<Store>;
}

export function storeConformance(name: string, makeHarness: () => Promise<StoreHarness>): void {
  describe(`store on ${name}`, () => {
    let harness: StoreHarness;
    let store: Store;
    let others: Store[];

    beforeEach(async () => {
      harness = await makeHarness();
      store = await harness.open();
      others = [];
      await store.write(async (tx) => {
        await tx.accounts.insert(accountRecord('acc_one'));
        await tx.accounts.insert(accountRecord('acc_two'));
        await tx.wallets.insert(walletRecord('wal_one'));
        await tx.wallets.insert(walletRecord('wal_two', { createdAt: 1_700_000_000_001 }));
        await tx.wallets.insert(walletRecord('wal_other', { accountId: 'acc_two' }));
      });
    });
    afterEach(async () => {
      await Promise.all([store, ...others].map((open) => open.close()));
      await harness.remove();
    });

    const context: StoreContext = {
      get store() {
        return store;
      },
      get harness() {
        return harness;
      },
      restart: async () => {
        await store.close();
        store = await harness.open();
        return store;
      },
      beside: async () => {
        const other = await harness.openBeside();
        others.push(other);
        return other;
      },
    };

    describe('writes', () => writeTests(context));
    describe('OAuth', () => oauthTests(context));
    describe('people', () => userTests(context));
    describe('records', () => recordTests(context));
    describe('coins', () => coinTests(context));
    describe('sums kept of wallets', () => sumTests(context));
    describe('governance', () => governanceTests(context));
    describe('executions', () => executionTests(context));
    describe('usage', () => usageTests(context));
    describe('calls of models', () => aiCallTests(context));
    describe('metrics', () => metricSumTests(context));
    describe('sums of what is spent', () => spendSumTests(context));
    describe('notifications', () => notificationTests(context));
    describe('notification rules', () => notificationRuleTests(context));
    describe('node probes', () => nodeProbeTests(context));
    describe('feerates that blocks took', () => feeObservationTests(context));
    describe('travel rule', () => travelRuleTests(context));
    describe('webhooks', () => webhookTests(context));
    describe('devices', () => deviceTests(context));
    replayTests(context);
    reportSourceTests(context);
    describe('payments that wait for signatures', () => awaitingTests(context));
    describe('row locks', () => rowLockTests(context));
    describe('pages', () => pageTests(context));
    describe('ledger', () => ledgerTests(context));
    describe('API keys and accounts', () => credentialTests(context));
    describe('events', () => eventTests(context));
    describe('idempotency keys', () => idempotencyTests(context));
    describe('audit log', () => auditTests(context));
    describe('checks of compliance', () => complianceCheckTests(context));
    describe('approvals', () => approvalTests(context));
    describe('signing keys', () => signingKeyTests(context));
    screeningTests(context);
    describe('taproot', () => taprootTests(context));
    describe('oracles', () => oracleTests(context));
    describe('contracts', () => contractTests(context));
    addressBookTests(context);
    describe('outgoing connections', () => connectionTests(context));
    describe('address scans', () => addressScanTests(context));
    describe('rules', () => policyTests(context));
    describe('exclusive work', () => exclusionTests(context));
    metricsTests(context);
    describe('migrations', () => migrationTests(context));
  });
}
