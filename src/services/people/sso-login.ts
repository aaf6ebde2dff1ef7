/** Single sign-on: a person whom the provider has named gets a session here. */
import { hash } from 'node:crypto';
import { DomainError } from '../../core/errors.ts';
import { foldLoginName } from '../../core/people/login-name.ts';
import type { UserRecord } from '../../store/interfaces/users.ts';
import type { Repositories } from '../../store/store.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { assertMayEnter } from './may-enter.ts';
import { openSession, type Tokens } from './open-session.ts';
import type { PeopleDependencies } from './people-dependencies.ts';

/** What a verified id_token says. */
export interface SsoIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** null where the provider does not vouch for it. */
  readonly verifiedEmail: string | null;
}

const STATE_LIFE_MS = 10 * 60_000;

export interface SsoLoginService {
  /** Remembers a redirect to the provider under its state; the id_token must say this nonce. */
  remember(state: string, nonce: string): Promise<void>;
  /** The nonce of a state, once. Throws `unauthorized` where it is unknown, used or has expired. */
  take(state: string): Promise<string>;
  /**
   * Who is linked to the identity; the first time, whoever has the verified address and no link yet. Nobody is made here. Throws
   * `forbidden` where there is nobody.
   */
  enter(identity: SsoIdentity, context: RequestContext): Promise<Tokens>;
}

const digestOf = (state: string): string => hash('sha256', state, 'hex');

export function createSsoLogin(deps: PeopleDependencies): SsoLoginService {
  const { store, clock } = deps;

  const nobody = () =>
    new DomainError(
      'forbidden',
      'nobody here is linked to this identity: an administrator makes a user with the e-mail address that the provider vouches for',
    );

  async function find({ issuer, subject, verifiedEmail }: SsoIdentity): Promise<{ user: UserRecord; linked: boolean }> {
    const link = await store.read.sso.findIdentity(issuer, subject);
    if (link !== null) {
      const user = await store.read.users.find(link.accountId, link.userId);
      if (user === null) throw nobody();
      return { user, linked: true };
    }
    const user = verifiedEmail === null ? null : await store.read.users.findByLoginName(foldLoginName(verifiedEmail));
    // The name must be that person's address, not a username that happens to look like it.
    const theirs = user?.email !== null && foldLoginName(user?.email ?? '') === foldLoginName(verifiedEmail ?? '');
    if (user === null || !theirs) throw nobody();
    if ((await store.read.sso.findIdentityOf(user.accountId, user.userId, issuer)) !== null) throw nobody();
    return { user, linked: false };
  }

  async function link(tx: Repositories, { issuer, subject }: SsoIdentity, user: UserRecord): Promise<void> {
    const { accountId, userId } = user;
    const fresh = await tx.sso.insertIdentity({ issuer, subject, accountId, userId, createdAt: clock() });
    if (fresh) return;
    const standing = await tx.sso.findIdentity(issuer, subject);
    if (standing?.userId !== userId) throw nobody();
  }

  return {
    async remember(state, nonce) {
      const createdAt = clock();
      const expiresAt = createdAt + STATE_LIFE_MS;
      await store.write((tx) => tx.sso.insertState({ digest: digestOf(state), nonce, createdAt, expiresAt }));
    },
    async take(state) {
      const nonce = await store.write((tx) => tx.sso.takeState(digestOf(state), clock()));
      if (nonce === null) {
        throw new DomainError(
          'unauthorized',
          'this sign-on was not begun here, was used or took too long: start again',
          {
            field: 'query.state',
          },
        );
      }
      return nonce;
    },
    async enter(identity, context) {
      const { user, linked } = await find(identity);
      if (user.disabledAt !== null) throw nobody();
      await assertMayEnter(store, user);
      const { remoteAddress } = context.facts;
      const session = await openSession(deps, user, { method: 'sso', boundKeyId: null, remoteAddress });
      await store.write(async (tx) => {
        const now = await tx.users.hold(user.accountId, user.userId);
        if (now === null || now.disabledAt !== null) throw nobody();
        if (!linked) await link(tx, identity, user);
        await session.store(tx, context);
      });
      return session.tokens;
    },
  };
}
