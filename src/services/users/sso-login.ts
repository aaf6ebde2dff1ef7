/** Single sign-on: a person whom the provider has named gets a session here. */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { DomainError } from '../../core/errors.ts';
import { foldLoginName } from '../../core/users/login-name.ts';
import type { UserRecord } from '../../store/repositories/users.ts';
import type { Repositories } from '../../store/store.ts';
import { refusingAs } from '../credentials/credential-refused.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { assertMayLogIn } from './may-log-in.ts';
import { openSession } from './open-session.ts';
import { authenticatedAs } from './user-credential.ts';
import type { UserDependencies } from './user-dependencies.ts';

/** What a verified id_token says. */
export interface SsoIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** null where the provider does not vouch for it. */
  readonly verifiedEmail: string | null;
}

const STATE_LIFE_MS = 10 * 60_000;

/** `<expiry>.<random>.<tag>`: the tag shows that it is ours. */
const STATE_FORM = /^(\d{13,16})\.([\w-]{22})\.([\w-]{43})$/;

export function createSsoLogin(deps: UserDependencies) {
  const { store, clock, randomBytes, ssoKey } = deps;
  const tagged = (text: string): string => createHmac('sha256', ssoKey).update(text).digest('base64url');

  /** When it expires; null where it is not ours. */
  function expiryOf(state: string): number | null {
    const [, expiry = '', random = '', tag = ''] = STATE_FORM.exec(state) ?? [];
    const right = Buffer.from(tagged(`state ${expiry}.${random}`));
    return tag.length === right.length && timingSafeEqual(right, Buffer.from(tag)) ? Number(expiry) : null;
  }

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
    /** A fresh state for a redirect to the provider. Nothing is stored: whoever likes may ask for any number. */
    newState() {
      const text = `${clock() + STATE_LIFE_MS}.${Buffer.from(randomBytes(16)).toString('base64url')}`;
      return `${text}.${tagged(`state ${text}`)}`;
    },
    /** What the id_token of a state must say. */
    nonceOf: (state: string) => tagged(`nonce ${state}`),
    /** Takes a state that came back, once. Throws `unauthorized` where it is not ours, was used or has expired. */
    async take(state: string) {
      const expiresAt = expiryOf(state);
      const standing = expiresAt !== null && expiresAt > clock();
      if (standing && (await store.write((tx) => tx.sso.useState(hash('sha256', state, 'hex'), expiresAt)))) return;
      throw new DomainError('unauthorized', 'this sign-on was not begun here, was used or took too long: start again', {
        field: 'query.state',
      });
    },
    /**
     * Who is linked to the identity; the first time, whoever has the verified address and no link yet. Nobody is made here. Throws
     * `forbidden` where there is nobody.
     */
    async enter(identity: SsoIdentity, context: RequestContext) {
      const { user, linked } = await find(identity);
      return refusingAs(authenticatedAs(user), async () => {
        if (user.disabledAt !== null) throw nobody();
        const { remoteAddress } = context.facts;
        await assertMayLogIn(deps, user, remoteAddress);
        const session = await openSession(deps, user, { method: 'sso', boundKeyId: null, remoteAddress });
        await store.write(async (tx) => {
          const now = await tx.users.findForUpdate(user.accountId, user.userId);
          if (now === null || now.disabledAt !== null) throw nobody();
          if (!linked) await link(tx, identity, user);
          else if ((await tx.sso.findIdentity(identity.issuer, identity.subject)) === null) throw nobody();
          await session.store(tx, context);
        });
        return session.tokens;
      });
    },
  };
}

export type SsoLoginService = ReturnType<typeof createSsoLogin>;
