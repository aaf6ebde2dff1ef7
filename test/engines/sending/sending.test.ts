import { describe, expect, it } from 'vitest';
import { createSending } from '../../../src/engines/sending/create-sending.ts';

const signal = new AbortController().signal;
const REQUEST = { method: 'POST', headers: {}, body: Buffer.from('{}'), ca: null } as const;
const stepOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'sent',
    (error: { step?: string }) => error.step,
  );

describe('sending', () => {
  it.each([
    ['a name with a private address', [{ address: '10.0.0.7', family: 4 }]],
    [
      'a name with one private address among others',
      [
        { address: '93.184.216.34', family: 4 },
        { address: '::1', family: 6 },
      ],
    ],
    ['a mapped loopback address', [{ address: '::ffff:127.0.0.1', family: 6 }]],
    ['no address', []],
  ])('connects to nothing for %s', async (_, found) => {
    const sending = createSending({ allowedNetworks: [], resolve: async () => found });
    expect(await stepOf(sending.http({ ...REQUEST, url: 'https://siem.example.com/' }, { signal }))).toBe('resolve');
    const target = { hostname: 'siem.example.com', port: 6514, tls: { ca: null } };
    expect(await stepOf(sending.syslog(target, [], { signal }))).toBe('resolve');
  });

  it('asks nothing of the metadata service, by whatever form of its address', async () => {
    const sending = createSending({ allowedNetworks: ['10.0.0.0/8'] });
    for (const host of ['169.254.169.254', '0xa9fea9fe', '[::ffff:169.254.169.254]', '127.1'])
      expect(sending.urlProblem(`https://${host}/`), host).toContain('OUTBOUND_ALLOWED_NETWORKS');
    expect(sending.hostProblem('169.254.169.254', 6514)).toContain('must have a public address');
    expect(sending.urlProblem('http://siem.example.com/')).toContain('https://');
    expect(sending.urlProblem('http://10.1.2.3:80/')).toBeNull();
  });

  it('ends with its signal', async () => {
    const sending = createSending({ allowedNetworks: [], resolve: () => new Promise(() => {}), connectMs: 60_000 });
    const sent = sending.http({ ...REQUEST, url: 'https://siem.example.com/' }, { signal: AbortSignal.timeout(20) });
    expect(await stepOf(sent)).toBe('resolve');
  });
});
