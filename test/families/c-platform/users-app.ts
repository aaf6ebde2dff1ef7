/** A service with people in it, and ways to log them in; its clock stands until it is moved. */
import {
  type CallOptions,
  type Json,
  startTestApp,
  type TestAnswer,
  type TestApp,
  type TestAppOptions,
} from '../../builders/app.ts';

export const PASSWORD = 'correct horse battery staple';
/** The least that a password may cost: what it costs is not what these tests are about. */
const CHEAP = { ARGON2_MEMORY_KIB: '7168', ARGON2_PASSES: '1' };

export interface UsersApp extends TestApp {
  now(): number;
  advance(ms: number): void;
  /** An administrator's POST /api/v1/users; answers the body. */
  person(given?: Record<string, unknown>): Promise<Json>;
  login(body: Record<string, unknown>, options?: CallOptions): Promise<TestAnswer>;
  refresh(token: string): Promise<TestAnswer>;
}

export async function startUsersApp(options: TestAppOptions = {}): Promise<UsersApp> {
  let now = Date.parse('2026-11-21T12:00:00Z');
  const clock = () => now;
  const app = await startTestApp({ clock, ...options, env: { ...CHEAP, ...options.env } });
  let people = 0;
  return Object.assign(app, {
    now: clock,
    advance(ms: number) {
      now += ms;
    },
    async person(given: Record<string, unknown> = {}) {
      people++;
      const body = { username: `person-${people}`, scopes: ['wallets:read'], password: PASSWORD, ...given };
      const answer = await app.post('/api/v1/users', body);
      if (answer.status !== 201) throw new Error(answer.text);
      return answer.body;
    },
    login: (body: Record<string, unknown>, call: CallOptions = {}) =>
      app.post('/api/v1/auth/login', body, { apiKey: null, ...call }),
    refresh: (token: string) => app.post('/api/v1/auth/refresh', { refresh_token: token }, { apiKey: null }),
  });
}
