/** A page's side of Ashlar: a person's session, reads and signed requests, and live updates (docs/browser.md). */
import { keyIdOf, newPair, proofOf, publicJwk, signedHeaders } from './signing.js';
import { forget, keep, recall } from './storage.js';
import { openUpdates } from './updates.js';

/** An access token that ends sooner is used no more. */
const RENEW_BEFORE_MS = 120_000;
/** The service gives a request up after 30 s. */
const ANSWERED_WITHIN_MS = 35_000;

/** What the service refused. `code` is the one to branch on; `final`: nothing was done, and to send the same again is no use. */
export class Refusal extends Error {
  name = 'Refusal';
  constructor(status, { code, message, details = {} }) {
    super(message);
    this.status = status;
    this.details = details;
    this.code = details.code ?? code;
    this.final = status < 500 && status !== 429 && this.code !== 'idempotency_in_flight';
  }
}

/** There is no session, or it has ended: sign in. */
export class SignedOut extends Error {
  name = 'SignedOut';
}

/**
 * A client of the service at one of its PUBLIC_ORIGINS (`https://api.example.com`), with the session that this browser keeps, if it keeps
 * one. `onSignedOut` is called when that ends: here, in another tab, or by an administrator.
 */
export async function openAshlar(service, { onSignedOut = () => {} } = {}) {
  const { origin } = new URL(service);
  const [sessionName, pairName] = [`session ${origin}`, (username) => `pair ${origin} ${username.toLowerCase()}`];
  const listening = new Set();
  /** {id, username, signs, reason, refreshToken}; kept for all tabs. */
  let session = (await recall(sessionName)) ?? null;
  let pair = session && (await recall(pairName(session.username)));
  /** {token, endsAt}; of this tab, in memory alone. */
  let access = null;

  function end() {
    if (session === null) return;
    session = pair = access = null;
    for (const updates of listening) updates.close();
    listening.clear();
    onSignedOut();
  }

  async function send(path, { method, headers = {}, body = '', signed = false }) {
    const url = new URL(path, origin);
    if (url.origin !== origin) throw new Error(`${path} is not at ${origin}`);
    const plain = body === '' ? headers : { ...headers, 'content-type': 'application/json' };
    const sent = signed ? await signedHeaders(pair, { method, url, headers: plain, body }) : plain;
    const signal = AbortSignal.timeout(ANSWERED_WITHIN_MS);
    const answer = await fetch(url, { method, headers: sent, body: body || null, redirect: 'error', signal }).catch(
      (cause) => {
        const why = 'it is away, or its CORS_ORIGINS does not name this page';
        throw new Error(`no answer from ${origin} for ${location.origin}: ${why}`, { cause });
      },
    );
    if (answer.status === 204) return undefined;
    const told = await answer.json().catch((cause) => {
      throw new Error(`no JSON from ${origin}, status ${answer.status}`, { cause });
    });
    if (!answer.ok) throw new Refusal(answer.status, told.error);
    return told;
  }

  const exchange = (what, body, signed = false) =>
    send(`/api/v1/auth/${what}`, { method: 'POST', body: JSON.stringify(body), signed });

  async function remember(tokens, { username, signs, reason }) {
    access = { token: tokens.access_token, endsAt: Date.now() + tokens.expires_in * 1000 };
    session = { id: tokens.session_id, username, signs, reason, refreshToken: tokens.refresh_token };
    await keep(sessionName, session);
  }

  const isFresh = () => access !== null && access.endsAt - Date.now() > RENEW_BEFORE_MS;

  /** A refresh token is good once: one tab at a time spends it, and the next finds the one after it. */
  async function renew() {
    if (isFresh()) return;
    const kept = await recall(sessionName);
    if (kept?.id !== session?.id) end();
    if (session === null) throw new SignedOut('sign in first');
    try {
      await remember(await exchange('refresh', { refresh_token: kept.refreshToken }), session);
    } catch (error) {
      if (error.status !== 401) throw error;
      await forget(sessionName);
      end();
      throw new SignedOut('the session has ended: sign in again', { cause: error });
    }
  }

  /** Another than `refused`, where that is given. */
  async function accessToken(refused) {
    if (access?.token === refused) access = null;
    if (!isFresh()) await navigator.locks.request(sessionName, renew);
    return access.token;
  }

  async function sendAsPerson(path, { headers, ...request }) {
    const token = await accessToken();
    const by = (bearer) => ({ ...request, headers: { ...headers, authorization: `Bearer ${bearer}` } });
    return send(path, by(token)).catch(async (error) => {
      if (error.code !== 'unauthorized') throw error;
      return send(path, by(await accessToken(token)));
    });
  }

  async function freshPair(username) {
    const made = await newPair();
    await keep(pairName(username), made);
    return made;
  }

  const client = {
    /** {username, signs, reason}, or null. Where `signs` is false the session only reads; `reason` says why. */
    get session() {
      return session && { username: session.username, signs: session.signs, reason: session.reason };
    },

    /** Signed by this browser's key for the person, made where there is none; where that is not enrolled, without a signature. */
    async signIn({ username, password, totp }) {
      const login = { username, password, ...(totp ? { totp } : {}) };
      pair = (await recall(pairName(username))) ?? (await freshPair(username));
      let reason = null;
      const tokens = await exchange('login', login, true).catch((error) => {
        if (error.code !== 'signature_invalid') throw error;
        reason = error.message;
        return exchange('login', login);
      });
      await remember(tokens, { username, signs: reason === null, reason });
    },

    /** The body of POST /api/v1/signing-keys that enrols this browser's key. Whoever may send it has five minutes. */
    async enrolment() {
      const known = await client.get(`/api/v1/signing-keys/${await keyIdOf(pair)}`).catch((error) => {
        if (error.status !== 404) throw error;
        return null;
      });
      if (known !== null && known.revoked_at === null) throw new Error(`this key is enrolled: ${session.reason}`);
      // A key is enrolled once, and never again after it was revoked.
      if (known !== null) pair = await freshPair(session.username);
      const { account_id: accountId, user_id: credentialId } = await client.get('/api/v1/auth/me');
      return {
        public_key: await publicJwk(pair),
        name: `browser of ${session.username}`,
        credential: { kind: 'person', id: credentialId },
        proof: await proofOf(pair, { accountId, credentialId }),
      };
    },

    /** Throws Refusal, SignedOut, or Error where no answer came. */
    get: (path) => sendAsPerson(path, { method: 'GET' }),

    /**
     * Sends a signed request that modifies. Where it throws anything but a `final` Refusal, nobody knows whether it took effect: sent again
     * with the same `idempotencyKey`, it takes effect once.
     */
    modify(method, path, body, idempotencyKey = crypto.randomUUID()) {
      const text = body === undefined ? '' : JSON.stringify(body);
      return sendAsPerson(path, { method, headers: { 'idempotency-key': idempotencyKey }, body: text, signed: true });
    },

    /** Live updates (updates.js), until `close()` of what is answered is called or the session ends. */
    listen(channels, handlers) {
      const url = `${origin.replace(/^http/, 'ws')}/v1/ws`;
      const updates = openUpdates({ url, accessToken, channels, ...handlers });
      listening.add(updates);
      return updates;
    },

    /**
     * Ends the session in every tab. The key stays: it signs the next login. Where it throws, this browser has forgotten the session, but
     * the service may not have ended it: it lasts until an administrator ends it, or it expires.
     */
    async signOut() {
      await navigator.locks.request(sessionName, async () => {
        const { refreshToken } = (await recall(sessionName)) ?? session;
        try {
          await exchange('logout', { refresh_token: refreshToken });
        } catch (cause) {
          throw new Error(`signed out in this browser alone: ${cause.message}`, { cause });
        } finally {
          await forget(sessionName);
          end();
        }
      });
    },
  };
  return client;
}
