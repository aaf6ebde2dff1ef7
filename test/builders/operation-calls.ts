/** Requests to operations as any caller would send them: built from a declaration, presented with a credential, signed or not. */
import { randomBytes } from 'node:crypto';
import { type RequestSigner, signRequest } from '../../src/core/request-signatures/sign-request.ts';
import { FORM } from '../../src/hooks/input/form-bodies.ts';
import type { AnyOperation, CredentialForm } from '../../src/hooks/operation.ts';
import { noteOutput } from '../secrets/collected.ts';
import type { TestAnswer, TestApp } from './app.ts';

/** One of PUBLIC_ORIGINS of the apps that are called so. */
export const ORIGIN = 'http://ashlar.test';

/** Who asks: what is presented, and the key that signs for it. */
export interface TestCaller {
  readonly form: CredentialForm;
  /** Bearer token; null where the signature alone says who asks. */
  readonly token: string | null;
  readonly signer: RequestSigner | null;
}
export const NOBODY: TestCaller = { form: 'api_key', token: null, signer: null };

/** What an operation is given. */
export interface Given {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** JSON unless the operation takes another type: then its text. */
  readonly body?: unknown;
  /** Who alone may ask this one. */
  readonly caller?: TestCaller;
  /** Undoes what was arranged for it. */
  readonly after?: () => Promise<void> | void;
}

/** A request before anybody is put to it. */
export interface BuiltRequest {
  readonly operation: AnyOperation;
  readonly method: string;
  /** With the query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  /** Who alone may ask this one; null where whoever the declaration lets. */
  readonly caller: TestCaller | null;
  readonly after: () => Promise<void>;
}

export function buildRequest(operation: AnyOperation, given: Given): BuiltRequest {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = given.params?.[name];
    if (value === undefined) throw new Error(`no value is known for ${name} of ${operation.id}`);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams(given.query).toString();
  const type = operation.bodyContentType;
  const body = given.body === undefined ? null : Buffer.from(encoded(given.body, type));
  return {
    operation,
    method: operation.method,
    target: query === '' ? path : `${path}?${query}`,
    headers: body === null ? {} : { 'content-type': type ?? 'application/json' },
    body,
    caller: given.caller ?? null,
    after: async () => given.after?.(),
  };
}

function encoded(body: unknown, type: string | undefined): string {
  if (type === undefined) return JSON.stringify(body);
  return type === FORM ? new URLSearchParams(body as Record<string, string>).toString() : String(body);
}

/** What goes over the wire. */
export interface WireRequest {
  method: string;
  host: string;
  target: string;
  headers: Record<string, string>;
  body: Buffer | null;
  /** Where it seems to come from. */
  address?: string;
}

export interface Signing {
  /** Unix seconds; now, by the service's clock, unless said. */
  readonly created?: number;
  readonly nonce?: string;
  readonly signer?: RequestSigner;
  /** Whom it is signed for; the service unless said. */
  readonly origin?: string;
}

export interface Sending {
  /** Default: every modifying request of a caller that can sign. */
  readonly sign?: boolean | Signing;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Whether it changes something for somebody who has a credential. */
export const modifies = ({ effect, access }: AnyOperation): boolean => effect === 'write' && access !== 'public';
/** Whether a request to it must be signed. What is a person's own need not be. */
export const mustSign = ({ effect, access }: AnyOperation): boolean =>
  effect === 'write' && access !== 'public' && access.own !== true;

/** The request with its credential and, where it is to have one, its signature. `now` in epoch milliseconds. */
export function wireRequest(built: BuiltRequest, caller: TestCaller, now: number, sending: Sending = {}): WireRequest {
  const { method, target, body } = built;
  const headers: Record<string, string> = {
    ...built.headers,
    ...(caller.token === null ? {} : { authorization: `Bearer ${caller.token}` }),
    ...sending.headers,
  };
  const { sign = built.operation.effect === 'write' || caller.form === 'signature' } = sending;
  const signing = typeof sign === 'object' ? sign : {};
  const signer = signing.signer ?? caller.signer;
  if (sign !== false && signer !== null) {
    const {
      created = Math.floor(now / 1000),
      nonce = randomBytes(16).toString('base64url'),
      origin = ORIGIN,
    } = signing;
    Object.assign(headers, signRequest({ method, url: origin + target, headers, body }, signer, { created, nonce }));
  }
  return { method, host: new URL(ORIGIN).host, target, headers, body };
}

/** One request through the whole stack, exactly as it is given. */
export async function sendRequest(service: TestApp, request: WireRequest): Promise<TestAnswer> {
  const response = await injectRequest(service, request);
  if (response.statusCode >= 400) noteOutput(response.body);
  const isJson = String(response.headers['content-type']).split(';')[0] === 'application/json';
  return {
    status: response.statusCode,
    headers: response.headers as TestAnswer['headers'],
    body: isJson && response.body !== '' ? JSON.parse(response.body) : null,
    text: response.body,
  };
}

/** The same, with the answer as it comes. */
export function injectRequest(service: TestApp, request: WireRequest) {
  const { method, host, target, headers, body, address = '127.0.0.1' } = request;
  return service.app.http.inject({
    method: method as 'GET',
    url: target,
    headers: { host, ...headers },
    remoteAddress: address,
    ...(body === null ? {} : { payload: body }),
  });
}
