/**
 * The hook layer: what every request passes, once, in this order. A later layer goes where its line stands here. Those of onRequest are
 * gates of one hook of Fastify's (entrance.ts), but for request-spans and cors.
 *
 *   onRequest    request-spans    where tracing is on: a span, which what a request waits for is beneath
 *                request-id       names the request, in the answer too
 *                security-headers helmet's
 *                deprecation      of v0
 *                cors             preflights; headers for allowed origins, on every refusal that follows
 *                single-headers   400 where Host and its like are there twice, or the target is no path
 *                time-out         503 after 30 s
 *                load-shedding    503 where the process or the database's writer is too far behind
 *                authentication   401; then role and scope: 403
 *                rate-limit       429 per credential; whoever asks for what is not there is counted too
 *                versioning       406
 *                unknown-routes   404, 405
 *   parsing      bodies           413, 415, malformed JSON; keeps the raw bytes
 *   preHandler   authentication   of what writes, again: its body may have been long on its way
 *                signature        over method, path, headers and the raw bytes, for effect `write`; its nonce is looked up
 *   handler      idempotency      replay, 409, 422
 *                validation       400 naming the field
 *                the operation    (audit is written by its job)
 *   onResponse   request-log      log line, metrics
 *                usage            counts for its credential
 *   errors       what failed authentication is counted against its address; then audit-refusals: whatever was thrown is recorded where
 *                it must be, then answered in the family's body
 */
import { fastifyPlugin as fp } from 'fastify-plugin';
import type { CounterStore } from '../counters/counter-store.ts';
import { createLocalCounters } from '../counters/local.ts';
import type { RecordRefusal } from '../services/audit/record-refusal.ts';
import type { ApiKeyService } from '../services/credentials/api-keys.ts';
import type { Usage } from '../services/usage/usage.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { cors } from './cors.ts';
import { accessTokens, type TokenParts } from './credentials/access-tokens.ts';
import { authentication } from './credentials/authentication.ts';
import { createSignedCallers, type SignatureDeps, signature } from './credentials/signature.ts';
import { endGates } from './entrance.ts';
import { bodies } from './input/bodies.ts';
import { loadShedding, type Pressure } from './limits/load-shedding.ts';
import { rateLimit } from './limits/rate-limit.ts';
import { auditRefusals } from './refusals/audit-refusals.ts';
import { declaredRoutesOnly } from './register-operations.ts';
import { requestId } from './request-id.ts';
import { type RequestMetrics, requestLog } from './request-log.ts';
import { requestSpans } from './request-spans.ts';
import { requestTimeout } from './request-timeout.ts';
import { securityHeaders } from './security-headers.ts';
import { singleHeaders } from './single-headers.ts';
import { unknownRoutes } from './unknown-routes.ts';
import { usage } from './usage.ts';
import { deprecation, versioning } from './versioning.ts';

export const REQUEST_TIME_OUT_MS = 30_000;

export interface HookLayerDeps {
  apiKeys: Pick<ApiKeyService, 'verify' | 'verifyCached'>;
  /** Absent: access tokens are refused. */
  tokens?: TokenParts;
  /** Absent: signatures cannot be verified, and what needs one is refused. */
  signatures?: SignatureDeps;
  /** Absent: refusals are answered and not recorded. */
  recordRefusal?: RecordRefusal;
  metrics: RequestMetrics | null;
  /** Absent: nobody's use is counted. */
  usage?: Pick<Usage, 'count'>;
  /** Absent: limits are counted in this process alone. */
  counters?: CounterStore;
  clock?: () => number;
  /** Absent: pages of no other origin may call. */
  corsOrigins?: readonly string[];
  /** Absent: nothing is turned away for overload. */
  pressure?: Pressure;
  /** How long a request may be worked on; 30 s unless said. */
  timeOutMs?: number;
  /** null: off. */
  tracing?: Tracing | null;
}

export const hookLayer = fp(
  async (app, deps: HookLayerDeps) => {
    const { clock = Date.now, counters = createLocalCounters({ clock }) } = deps;
    app.decorate('originOf', deps.signatures?.originOf ?? (() => null));
    if (deps.tracing) await app.register(requestSpans, { tracing: deps.tracing });
    await app.register(auditRefusals, { record: deps.recordRefusal ?? null });
    await app.register(declaredRoutesOnly);
    await app.register(requestLog, { metrics: deps.metrics });
    await app.register(requestId);
    await app.register(securityHeaders);
    await app.register(deprecation);
    if (deps.corsOrigins?.length) {
      await app.register(cors, { origins: deps.corsOrigins });
      endGates(app);
    }
    await app.register(singleHeaders);
    await app.register(requestTimeout, { afterMs: deps.timeOutMs ?? REQUEST_TIME_OUT_MS });
    if (deps.pressure !== undefined) await app.register(loadShedding, { pressure: deps.pressure });
    if (deps.tokens !== undefined) await app.register(accessTokens, deps.tokens);
    await app.register(authentication, {
      apiKeys: deps.apiKeys,
      accessTokens: deps.tokens?.accessTokens ?? null,
      signedCallers: deps.signatures === undefined ? null : createSignedCallers(deps.signatures),
    });
    await app.register(rateLimit, { counters, clock });
    if (deps.usage !== undefined) await app.register(usage, deps.usage);
    await app.register(versioning);
    await app.register(unknownRoutes);
    await app.register(bodies);
    await app.register(signature, { signatures: deps.signatures ?? null });
  },
  { name: 'hook-layer' },
);
