import type { Session } from '../queries/session.ts';
import type { ContractMove } from '../tables/contracts.ts';
import { accountRepository } from './accounts.ts';
import { addressHistoryRepository } from './address-history.ts';
import { addressScanRepository } from './address-scans.ts';
import { apiKeyRepository } from './api-keys.ts';
import { attestationRepository } from './attestations.ts';
import { auditRepository } from './audit.ts';
import { coinRepository } from './coins.ts';
import { contractRepository } from './contracts.ts';
import { eventRepository } from './events.ts';
import { idempotencyRepository } from './idempotency.ts';
import { labelRepository } from './labels.ts';
import { ledgerRepository } from './ledger.ts';
import { loginFailureRepository } from './login-failures.ts';
import { metricsRepository } from './metrics.ts';
import { musigSessionRepository } from './musig-sessions.ts';
import { oauthClientRepository } from './oauth-clients.ts';
import { oracleEventRepository } from './oracle-events.ts';
import { oracleNonceRepository } from './oracle-nonces.ts';
import { oracleRepository } from './oracles.ts';
import { passwordResetRepository } from './password-resets.ts';
import { refreshTokenRepository } from './refresh-tokens.ts';
import { revokedTokenRepository } from './revoked-tokens.ts';
import { scriptRepository } from './scripts.ts';
import { sessionRepository } from './sessions.ts';
import { settingsRepository } from './settings.ts';
import { signatureNonceRepository } from './signature-nonces.ts';
import { signingKeyRepository } from './signing-keys.ts';
import { ssoRepository } from './sso.ts';
import { taprootOutputRepository } from './taproot-outputs.ts';
import { tokenKeyRepository } from './token-keys.ts';
import { transactionRepository } from './transactions.ts';
import { userRepository } from './users.ts';
import { walletRepository } from './wallets.ts';
import { wrappedKeyRepository } from './wrapped-keys.ts';

/** Every repository over one session. `clock` gives the time that events are written with. */
export function createRepositories(session: Session, clock: () => number) {
  return {
    settings: settingsRepository(session),
    accounts: accountRepository(session),
    apiKeys: apiKeyRepository(session),
    signingKeys: signingKeyRepository(session),
    signatureNonces: signatureNonceRepository(session),
    wallets: walletRepository(session),
    scripts: scriptRepository(session),
    coins: coinRepository(session),
    transactions: transactionRepository(session),
    ledger: ledgerRepository(session),
    events: eventRepository(session, clock),
    idempotency: idempotencyRepository(session),
    labels: labelRepository(session),
    wrappedKeys: wrappedKeyRepository(session),
    audit: auditRepository(session, clock),
    tokenKeys: tokenKeyRepository(session),
    oauthClients: oauthClientRepository(session),
    revokedTokens: revokedTokenRepository(session),
    users: userRepository(session),
    sessions: sessionRepository(session),
    refreshTokens: refreshTokenRepository(session),
    passwordResets: passwordResetRepository(session),
    loginFailures: loginFailureRepository(session),
    sso: ssoRepository(session),
    addressScans: addressScanRepository(session),
    addressHistory: addressHistoryRepository(session),
    taprootOutputs: taprootOutputRepository(session),
    musigSessions: musigSessionRepository(session),
    oracles: oracleRepository(session),
    oracleEvents: oracleEventRepository(session),
    oracleNonces: oracleNonceRepository(session),
    attestations: attestationRepository(session),
    contracts: contractRepository(session),
    /** Nothing is stored: listeners of Store.onContractMoves hear of it where this run of the job commits. */
    contractMoves: { note: (move: ContractMove): void => session.note(move) },
    metrics: metricsRepository(session),
  };
}

export type Repositories = ReturnType<typeof createRepositories>;
