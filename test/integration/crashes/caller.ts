/** A client that signs what it asks and knows whether it was answered: a request that broke off may have taken effect or not. */
import { randomBytes } from 'node:crypto';
import { requestSigner, signRequest } from '../../../src/core/request-signatures/sign-request.ts';
import type { PrivateJwk } from '../../../src/core/request-signatures/signing-algorithm.ts';
import { noteExchange, noteSecretsOf } from '../../secrets/collected.ts';

export interface Credentials {
  api_key: string;
  private_key: PrivateJwk;
}

export interface Wanted {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

export interface Answered {
  readonly status: number;
  readonly body: any;
  readonly replayed: boolean;
}

export interface Caller {
  /** Null where no whole answer came. The nonce is told before anything is sent. */
  write(wanted: Wanted, idempotencyKey: string, onNonce: (nonce: string) => void): Promise<Answered | null>;
  /** Throws where it is not answered 200. */
  read(path: string): Promise<any>;
  readText(path: string): Promise<string>;
  /** Every member of a list of family A's form. */
  readAll(path: string): Promise<any[]>;
}

export function createCaller(origin: string, credentials: Credentials): Caller {
  noteSecretsOf(credentials);
  const signer = requestSigner(credentials.private_key);
  const authorization = `Bearer ${credentials.api_key}`;

  async function readText(path: string): Promise<string> {
    const answer = await fetch(origin + path, { headers: { authorization } });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${text}`);
    return text;
  }
  const read = async (path: string): Promise<any> => JSON.parse(await readText(path));

  return {
    read,
    readText,
    async write({ method, path, body }, idempotencyKey, onNonce) {
      const bytes = body === undefined ? null : Buffer.from(JSON.stringify(body));
      const headers: Record<string, string> = {
        authorization,
        'idempotency-key': idempotencyKey,
        ...(bytes === null ? {} : { 'content-type': 'application/json' }),
      };
      const nonce = randomBytes(16).toString('base64url');
      onNonce(nonce);
      const created = Math.floor(Date.now() / 1000);
      const signed = signRequest({ method, url: origin + path, headers, body: bytes }, signer, { created, nonce });
      try {
        const answer = await fetch(origin + path, { method, headers: { ...headers, ...signed }, body: bytes });
        const text = await answer.text();
        const said = text === '' ? null : JSON.parse(text);
        noteExchange(body, { status: answer.status, text, body: said });
        const replayed = answer.headers.get('idempotency-replayed') === 'true';
        return { status: answer.status, body: said, replayed };
      } catch {
        return null;
      }
    },
    async readAll(path) {
      const all: any[] = [];
      for (let cursor = ''; ; ) {
        const page = await read(`${path}${path.includes('?') ? '&' : '?'}limit=100${cursor}`);
        all.push(...page.data);
        const next = page.pagination.next_cursor;
        if (next === null || next === undefined) return all;
        cursor = `&cursor=${encodeURIComponent(next)}`;
      }
    },
  };
}
