import type { SignedFetch } from '../client/signed-fetch.ts';

export interface ApiClient {
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body?: unknown): Promise<T>;
}

/** JSON both ways; what modifies is signed and has an Idempotency-Key. */
export function createApiClient(send: SignedFetch): ApiClient {
  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await send(path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as T;
  }
  return {
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
  };
}
