/**
 * Helmet's headers on every answer. They never change, so helmet is asked once, at the boot, and not for each request. And that nobody
 * keeps it: answers hold keys, mnemonics and balances. What may be kept says so itself (an operation's success.headers).
 */
import helmet, { type FastifyHelmetOptions } from '@fastify/helmet';
import Fastify from 'fastify';
import { fastifyPlugin as fp } from 'fastify-plugin';
import { addGate } from './entrance.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** For answers that no hook passes. */
    securityHeaders: Readonly<Record<string, string>>;
  }
}

const OPTIONS: FastifyHelmetOptions = {
  // Answers are data: nothing in them may load or frame anything. The reference page sets a policy of its own.
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  frameguard: { action: 'deny' },
  // For pages and browsers of old; an API's answers have no use for them.
  crossOriginOpenerPolicy: false,
  dnsPrefetchControl: false,
  ieNoOpen: false,
  originAgentCluster: false,
  permittedCrossDomainPolicies: false,
  xssFilter: false,
};

async function headersOfHelmet(): Promise<Record<string, string>> {
  const probe = Fastify();
  await probe.register(helmet, OPTIONS);
  probe.get('/', (_, reply) => {
    const { 'content-type': _type, ...headers } = reply.getHeaders();
    return headers;
  });
  const headers = (await probe.inject('/')).json<Record<string, string>>();
  await probe.close();
  return headers;
}

export const securityHeaders = fp(
  async (app) => {
    const headers = { ...(await headersOfHelmet()), 'cache-control': 'no-store' };
    app.decorate('securityHeaders', headers);
    addGate(app, (_, reply) => {
      reply.headers(headers);
    });
  },
  { name: 'security-headers' },
);
