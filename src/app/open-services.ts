/**
 * The services on the opened store and chain, each given only what it uses, and what services are made of: those that only the operations of
 * one family call, and that do nothing in the background, are made in the family's index.
 */

import type { ChainSource } from '../chain/chain-source.ts';
import { createFollower } from '../chain/follower/index.ts';
import { newId } from '../core/ids.ts';
import type { Backend } from '../core/inference/backend.ts';
import type { CounterStore } from '../counters/counter-store.ts';
import type { ClosableComputing } from '../engines/computing/all-jobs.ts';
import { countedFetching } from '../engines/fetching/counted-fetching.ts';
import { createFetching } from '../engines/fetching/create-fetching.ts';
import { createProbing } from '../engines/probing/create-probing.ts';
import { createFanOut } from '../events/fan-out.ts';
import { createSequencer } from '../events/sequencer.ts';
import { parsePolicySet } from '../families/c-platform/enterprise/policies/policy-set.ts';
import type { PageGroup } from '../families/service/documentation/pages.ts';
import { createWorker } from '../scheduling/worker.ts';
import { createAddressBook } from '../services/address-book/address-book.ts';
import { createEntriesOf } from '../services/address-book/entries-of.ts';
import { createPayeeAddresses } from '../services/address-book/payees.ts';
import { createAddressScanner } from '../services/addresses/address-scanner.ts';
import { createAddressLookups } from '../services/addresses/look-up-address.ts';
import { createAddressScans } from '../services/addresses/manage-address-scans.ts';
import { approvalSeries } from '../services/approvals/approval-series.ts';
import { createApprovals } from '../services/approvals/approval-service.ts';
import { createSubjectOf } from '../services/approvals/approval-subject.ts';
import { createApprovalWorker } from '../services/approvals/approval-worker.ts';
import { createHeldChanges } from '../services/approvals/held-changes.ts';
import { createHeldRequests } from '../services/approvals/held-requests.ts';
import { createAudit } from '../services/audit/index.ts';
import { createBlockchainStatus } from '../services/blockchain/blockchain-status.ts';
import { fairLookups } from '../services/blockchain/fair-lookups.ts';
import { createChainServices } from '../services/blockchain/index.ts';
import { createMining } from '../services/blockchain/mining.ts';
import { sharedAnswer } from '../services/blockchain/shared-answer.ts';
import { createContractMetrics } from '../services/contracts/contract-metrics.ts';
import { logContractMoves } from '../services/contracts/contract-moves.ts';
import { contractSeries } from '../services/contracts/contract-series.ts';
import { createContracts } from '../services/contracts/create-contracts.ts';
import { createAdaptorWork } from '../services/contracts/signing/adaptor-work.ts';
import { countedAdaptorWork } from '../services/contracts/signing/counted-adaptor-work.ts';
import { createAccounts } from '../services/credentials/accounts.ts';
import { createApiKeys } from '../services/credentials/api-keys.ts';
import { firstStart } from '../services/credentials/first-start.ts';
import { createSigningKeyManagement } from '../services/credentials/manage-signing-keys.ts';
import { createSigningKeys } from '../services/credentials/signing-keys.ts';
import { tellExpiring } from '../services/credentials/tell-expiring.ts';
import { createEnterpriseStatus } from '../services/enterprise-status.ts';
import { createChooseFeeRate } from '../services/fees/choose-fee-rate.ts';
import { createFeeService } from '../services/fees/index.ts';
import { governanceSeries } from '../services/governance/governance-series.ts';
import { createGovernance } from '../services/governance/index.ts';
import { createSumChecks } from '../services/ledger/check-sums.ts';
import { createLedger } from '../services/ledger/ledger.ts';
import { sumSeries } from '../services/ledger/sum-series.ts';
import { createAttempts } from '../services/limits/create-attempts.ts';
import { createMessageService } from '../services/messages/message-service.ts';
import { createNetworks } from '../services/networks/index.ts';
import { inboxOf } from '../services/notifications/inbox.ts';
import { createAttestationPoller } from '../services/oracles/attestation-poller.ts';
import { createOracleService } from '../services/oracles/create-oracle-service.ts';
import { freezeRestored } from '../services/oracles/freeze-restored.ts';
import { oracleSeries } from '../services/oracles/oracle-series.ts';
import { createGate } from '../services/policies/gate.ts';
import { replaySeries, runningReplays } from '../services/policies/replay/replay-series.ts';
import { createReplays } from '../services/policies/replay/replay-service.ts';
import { createReplayWorker } from '../services/policies/replay/replay-worker.ts';
import { createRulesOf } from '../services/policies/rules-of.ts';
import { sweepSpendSums } from '../services/policies/sweep-spend-sums.ts';
import { createPsbtService } from '../services/psbt/psbt-service.ts';
import { createReadiness } from '../services/readiness.ts';
import { createIdempotency } from '../services/requests/idempotency.ts';
import { createRecordSeparately } from '../services/requests/record-separately.ts';
import type { Caller } from '../services/requests/request-context.ts';
import { createDepositSweeper } from '../services/screening/screened-deposits.ts';
import { masterKeyStands, openKeyProvider } from '../services/secrets/open-key-provider.ts';
import { createSecretBox } from '../services/secrets/secret-box.ts';
import { openServiceKey } from '../services/secrets/service-key.ts';
import { createTextCipher } from '../services/secrets/text-cipher.ts';
import { createTaproot } from '../services/taproot/index.ts';
import { createTransactions } from '../services/transactions/index.ts';
import { createTravelRules } from '../services/travel-rule/travel-rules.ts';
import { createWalletService } from '../services/wallets/create-wallet-service.ts';
import { createScriptPool } from '../services/wallets/database-script-pool.ts';
import { createWalletScanner } from '../services/wallets/scan/wallet-scanner.ts';
import { createOpenKeyRing, createOpenOwnAccount, createOpenOwnSigner } from '../services/wallets/wallet-keys.ts';
import type { Store } from '../store/store.ts';
import type { AppContext } from './app-context.ts';
import type { DiskWatch } from './disk-space.ts';
import { openDeliveries } from './open-deliveries.ts';
import { openGuide } from './open-guide.ts';
import { openInference } from './open-inference.ts';
import { openInferenceLedger } from './open-inference-ledger.ts';
import { openInsight } from './open-insight.ts';
import { openMail } from './open-mail.ts';
import { openSignatures } from './open-signatures.ts';
import { openSso } from './open-sso.ts';
import { openTokens } from './open-tokens.ts';
import { openUpstreams } from './open-upstreams.ts';
import { openUserServices } from './open-users.ts';
import { packageFacts } from './package-facts.ts';
import { tracedFetching } from './traced.ts';

/** A server of others is asked less often than a node of one's own, which pushes besides. */
const POLL_MS: Record<ChainSource['kind'], number> = { bitcoind: 1_000, esplora: 5_000, simulated: 1_000 };

/** A newer replica may have migrated the database. */
const SCHEMA_LOOK_MS = 2_000;

export type Services = Awaited<ReturnType<typeof openServices>>;

export async function openServices(
  context: AppContext,
  store: Store,
  chain: ChainSource,
  counters: CounterStore,
  computing: Omit<ClosableComputing, 'close'>,
  disk: Pick<DiskWatch, 'warnings'>,
  { approvalsEveryMs, backends }: { approvalsEveryMs?: number; backends?: readonly Backend[] } = {},
) {
  const { config, log, clock, randomBytes, tracing } = context;
  const { dataDir, masterKeyFile, network, allowMainnetHotWallets } = config;
  const base = { store, chain, network, clock, randomBytes, log };
  const keyProvider = await openKeyProvider({ store, dataDir, masterKeyFile, randomBytes });
  const answerKey = await openServiceKey({ store, provider: keyProvider, randomBytes }, 'kept answers');
  const signingKeys = createSigningKeys(base);
  const apiKeyDeps = { ...base, signingKeys, signaturePolicy: config.signaturePolicy };
  await firstStart({ store, signingKeys, dataDir, randomBytes, clock, log });
  await freezeRestored(base);

  const apiKeys = createApiKeys(apiKeyDeps);
  const signatures = await openSignatures(context, store, keyProvider, { signingKeys, apiKeys });
  const attempts = createAttempts({ counters, clock });
  const { tokens, ...oauth } = await openTokens(context, store, keyProvider, { signingKeys, attempts });
  const sendMail = await openMail(config.mail);
  const people = { signingKeys, attempts, sendMail, ...tokens };
  const userServices = await openUserServices(context, store, keyProvider, people);
  const box = createSecretBox({ provider: keyProvider, randomBytes });
  const pool = createScriptPool({ store, clock, maxWatchedScripts: config.maxWatchedScripts });
  const ledger = createLedger({ store, scriptPool: pool, network, clock });
  const follower = createFollower({ ...base, sink: ledger, pollMs: POLL_MS[chain.kind] });
  const scanner = createWalletScanner({ ...base, ledger, pool });
  const addressScanner = createAddressScanner(base);
  const rulesOf = createRulesOf();
  const entriesOf = createEntriesOf(network);
  const gate = createGate({ store, rulesOf, entriesOf, clock });
  const replayWorker = createReplayWorker({ ...base, entriesOf });
  const replays = createReplays({
    ...{ ...base, rulesOf, entriesOf, historyMs: config.spendHistoryDays * 24 * 3_600_000 },
    onQueued: () => replayWorker.wake(),
  });
  const cipher = createTextCipher(answerKey, randomBytes);
  const travelRules = createTravelRules({
    ...{ store, clock },
    cipher: createTextCipher(
      await openServiceKey({ store, provider: keyProvider, randomBytes }, 'travel rule'),
      randomBytes,
    ),
  });
  const held = createHeldRequests({ ...base, gate, cipher });
  const { transactions, broadcaster, parts } = createTransactions({
    ...base,
    scripts: pool,
    gate,
    travelRules,
    held,
    openKeyRing: createOpenKeyRing({ box }),
    openOwnSigner: createOpenOwnSigner({ box }),
    openOwnAccount: createOpenOwnAccount({ box }),
    computing,
    spendingHalt: () => follower.status().halted,
    onTip: (listener) => follower.onTip(listener),
    onOwnMissing: (listener) => follower.onOwnMissing(listener),
    tipHeight: () => follower.status().height,
    ownSends: follower.ownSends,
  });
  const audit = createAudit({ ...base, provider: keyProvider, transactions });
  const blockchain = createBlockchainStatus({ chain, store, clock });
  const chainData = createChainServices({ ...base, computing });
  const fees = createFeeService({ chain });
  const idempotency = createIdempotency({
    ...{ store, clock },
    cipher: createTextCipher(answerKey, randomBytes, { deflates: true }),
  });

  const lookups = fairLookups(chain);
  const counted = countedFetching(
    createFetching({ allowedHosts: [...config.oracleAllowedHosts, ...config.outboundAllowedNetworks] }),
  );
  const fetching = tracing === null ? counted : tracedFetching(counted, tracing.inSpan);
  const oracles = createOracleService({ ...base, held, box, fetching });
  const poller = createAttestationPoller({ ...base, oracles });
  const cets = countedAdaptorWork(createAdaptorWork({ computing, randomBytes }));
  const { contracts, driver, approvedContracts } = createContracts({
    ...{ ...base, oracles, parts, held },
    openKeyRing: createOpenKeyRing({ box }),
    cets,
    computing,
    onTip: (listener) => follower.onTip(listener),
  });

  const approvedRecords = [parts.approvedPayments, approvedContracts];
  const subjectOf = createSubjectOf(held.subject, approvedRecords);
  const heldChanges = createHeldChanges({ store, held, clock });
  const approvalDeps = { ...base, rulesOf, subjectOf, intervalMs: approvalsEveryMs };
  const approvalWorker = createApprovalWorker(approvalDeps);
  const approvals = createApprovals({ ...approvalDeps, held, onApproved: () => approvalWorker.wake() });
  const delivering = await openDeliveries(context, store, keyProvider, {
    ...{ transactions, contracts, approvals },
    ...{ box, audit, sendMail },
  });

  const { outboundAllowedNetworks: allowedNetworks, outboundAllowedPorts: allowedPorts } = config;
  const userAgent = `/ashlar:${packageFacts().version}/`;
  const probing = createProbing({ ...{ network, allowedNetworks, allowedPorts, userAgent }, randomBytes, clock });
  const networks = createNetworks({ ...base, probing });
  const depositSweeper = createDepositSweeper(base);
  const chooseFeeRate = createChooseFeeRate({ ...fees, mempool: chainData.mempool });
  const governance = createGovernance({
    ...{ ...base, computing, audit, payments: parts, chooseFeeRate, parsePolicySet },
    ...{ signaturePolicy: config.signaturePolicy, daoParameters: config.daoParameters },
    nonceKey: await openServiceKey({ store, provider: keyProvider, randomBytes }, 'governance nonces'),
  });

  context.disposables.defer(logContractMoves(store, log));
  const insight = await openInsight(context, store, {
    ...{ chain, keyProvider, computing, follower, rulesOf, gate, audit, travelRules },
    openOwnAccount: createOpenOwnAccount({ box }),
  });
  const sumChecks = createSumChecks({ ...base, after: newId('wal', randomBytes) });
  const fanOut = createFanOut({ store, log, clock });
  const onNumbered = (): void => {
    fanOut.wake();
    delivering.onNumbered();
  };
  const sequencer = createSequencer({ store, clock, log, onNumbered });
  // Scans belong to the process that follows: no two scan one wallet at once.
  context.background.whileFollowing(follower, scanner, addressScanner, poller, sumChecks.worker);
  context.background.add(
    createWorker({
      ...{ name: 'schema', log, clock, intervalMs: SCHEMA_LOOK_MS, round: store.ping },
      failed: 'the version of the database could not be read',
      recovered: 'the version of the database is read again',
    }),
    fanOut,
    sequencer,
    audit.sealer,
    follower,
    broadcaster,
    driver,
    approvalWorker,
    replayWorker,
    networks.worker,
    depositSweeper,
    governance.worker,
  );
  const contractMetrics = createContractMetrics(base);
  context.metrics.add(
    contractSeries({ contractMetrics, adaptorCounts: cets.counts, onContractMoves: store.onContractMoves }),
    oracleSeries({ contractMetrics, oracleQuestions: counted.counts }),
    approvalSeries({ clock, approvals: sharedAnswer(() => store.read.metrics.openApprovals(), clock) }),
    governanceSeries({ clock, counts: sharedAnswer(() => store.read.metrics.governance(), clock) }),
    replaySeries({ clock, replays: sharedAnswer(() => runningReplays(store.read), clock) }),
    sumSeries(sumChecks.counts),
  );
  const upstreams = await openUpstreams(context);
  const { inferenceLedger, activity } = await openInferenceLedger(context, store, keyProvider, counters);
  context.background.sweep(() => idempotency.sweep());
  context.background.sweep(() => signatures.nonces.sweep());
  context.background.sweep(() => held.sweep());
  context.background.sweep(() => sweepSpendSums(base));
  context.background.sweep(() => tellExpiring(base));
  context.background.sweep(() => replays.sweep());
  await context.background.start();

  const readiness = createReadiness({
    ...base,
    blockchain,
    counters,
    diskWarnings: disk.warnings,
    source: chain.kind,
    masterKeyStands: () => masterKeyStands(store, keyProvider),
    halted: () => follower.status().halted,
  });
  const makePages = (group: PageGroup) => computing.run('pages.make', { group }, { accountId: '' });
  const guide = openGuide(makePages, readiness);

  return {
    ...packageFacts(),
    ...apiKeyDeps,
    computing,
    makePages,
    guide,
    accounts: createAccounts(apiKeyDeps),
    apiKeys,
    signingKeyManagement: createSigningKeyManagement({ ...apiKeyDeps, verifyBytes: signatures.verifyBytes }),
    signatures,
    tokens,
    ...oauth,
    idempotency,
    recordSeparately: createRecordSeparately({ store }),
    audit,
    blockchain,
    chainData,
    follower,
    mining: createMining(base),
    messages: createMessageService({
      ...{ ...base, held },
      chain: lookups,
      read: store.read,
      openOwnSigner: createOpenOwnSigner({ box }),
    }),
    psbts: createPsbtService({ ...base, chain: lookups, computing }),
    approvals,
    heldChanges,
    attempts,
    userServices,
    sso: openSso(context, userServices),
    readiness,
    wallets: createWalletService({
      ...{ ...base, held },
      pool,
      box,
      keyProvider,
      computing,
      allowMainnetHotWallets,
      onScanQueued: () => scanner.wake(),
    }),
    held,
    approvedRecords,
    transactions,
    taproot: createTaproot({ ...base, gate, held, computing }),
    oracles,
    contracts,
    ...delivering.services,
    networks: networks.networks,
    inference: openInference(context, {
      given: backends ?? upstreams,
      guide,
      computing,
      ledger: inferenceLedger,
      activity,
    }),
    governance,
    inferenceLedger,
    enterpriseStatus: createEnterpriseStatus({
      ...{ connections: delivering.services.connections, counters, clock, approvals: store.read.approvals },
      rulesOf: (accountId) => rulesOf(store.read, accountId),
    }),
    fees,
    ...insight,
    replays,
    travelRules,
    gate,
    onListChanged: () => depositSweeper.wake(),
    addressBook: createAddressBook({ ...base, computing, rulesOf }),
    payeeAddresses: createPayeeAddresses(base),
    chooseFeeRate,
    sockets: {
      ...{ fanOut, recordRefusal: audit.recordRefusal, onCredentials: store.onCredentials, clock },
      addSeries: context.metrics.add,
    },
    realtime: {
      ...{ apiKeys, accessTokens: tokens.accessTokens },
      inboxOf: (caller: Caller) => inboxOf(store.read, caller),
    },
    addressLookups: createAddressLookups(base),
    addressScans: createAddressScans({ ...base, onQueued: () => addressScanner.wake() }),
  };
}
