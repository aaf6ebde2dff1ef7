/** Evaluates the rules for a hypothetical operation, without planning it or reading coins. */
import { placeOf } from '../../core/address-book/entry-rules.ts';
import { DomainError } from '../../core/errors.ts';
import type { AccountId, WalletId } from '../../core/ids.ts';
import type { Network } from '../../core/network.ts';
import type { SpendingOperation, Verdict } from '../../core/policies/policy.ts';
import type { Store } from '../../store/store.ts';
import type { PayeeAddresses } from '../address-book/payees.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { askerOf, type Gate } from './gate.ts';
import type { Asker } from './spending-of.ts';

interface HypotheticalPayee {
  readonly address?: string | undefined;
  readonly address_book_id?: string | undefined;
  readonly amount: bigint;
}

export interface Hypothetical {
  readonly operation: SpendingOperation;
  readonly walletId: WalletId | undefined;
  readonly recipients: readonly HypotheticalPayee[];
  readonly feeSats: bigint;
  /** undefined: the caller. */
  readonly initiator: { readonly userId: string } | { readonly apiKeyId: string } | undefined;
}

const NOTHING_SAID: Verdict = { action: 'allow', policies: [], requirements: [], message: null, listed: [] };

export function createEvaluatePolicies(deps: {
  store: Pick<Store, 'read'>;
  gate: Pick<Gate, 'foresee'>;
  payeeAddresses: PayeeAddresses;
  network: Network;
}) {
  const { gate, payeeAddresses, network } = deps;
  const { read } = deps.store;
  const missing = (what: string, field: string) => new DomainError('not_found', `there is no such ${what}`, { field });

  async function walletOf(accountId: AccountId, walletId: WalletId | undefined) {
    if (walletId === undefined) return null;
    const wallet = await read.wallets.find(accountId, walletId);
    if (wallet === null) throw missing('wallet', 'wallet_id');
    return { walletId, network };
  }

  async function askerNamed(initiator: Hypothetical['initiator'], context: RequestContext): Promise<Asker> {
    if (initiator === undefined) return askerOf(context);
    const { accountId } = context;
    const asker = (of: Pick<Asker, 'userId' | 'credentialId' | 'role'>): Asker => ({
      ...{ accountId, ...of, kind: of.userId === of.credentialId ? 'person' : 'api_key' },
    });
    if ('userId' in initiator) {
      const user = await read.users.find(accountId, initiator.userId);
      if (user === null || user.deletedAt !== null) throw missing('user', 'initiator.user_id');
      return asker({ userId: user.userId, credentialId: user.userId, role: user.role });
    }
    const key = await read.apiKeys.find(accountId, initiator.apiKeyId);
    if (key === null) throw missing('API key', 'initiator.api_key_id');
    return asker({ userId: key.countsAs, credentialId: key.keyId, role: key.role });
  }

  return async ({ operation, walletId, recipients, feeSats, initiator }: Hypothetical, context: RequestContext) => {
    const wallet = await walletOf(context.accountId, walletId);
    const asker = await askerNamed(initiator, context);
    const addresses = await payeeAddresses(recipients, context);
    const pays = recipients.map(({ amount }, index) => ({
      ...placed(addresses[index]!, network, index),
      amountSats: amount,
    }));
    const { verdict } = await gate.foresee(asker, { operation, wallet, pays, feeSats });
    return verdict ?? NOTHING_SAID;
  };
}
export type EvaluatePolicies = ReturnType<typeof createEvaluatePolicies>;

function placed(address: string, network: Network, index: number) {
  try {
    return placeOf(address, network);
  } catch (error) {
    throw error instanceof DomainError ? error.at(`recipients[${index}].address`) : error;
  }
}
