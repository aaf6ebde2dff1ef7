/** docs/browser, as it stands there, in a real browser: a page of another origin than the service's. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { freePorts } from '../../src/chain/node-finder/free-ports.ts';
import { noChromium, startChromium } from '../builders/chromium.ts';
import { type ServiceProcess, startService } from '../builders/service-process.ts';
import { startTcpProxy, type TcpProxy } from '../builders/tcp-proxy.ts';

const DOCS = new URL('../../docs/', import.meta.url);
const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' };
/** The person that the page has made. */
const ADA = JSON.parse(/\/api\/v1\/users '(.*)'/.exec(readFileSync(new URL('browser.md', DOCS), 'utf8'))?.[1] ?? '');

let service: ServiceProcess;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** Between browser and service. */
let line: TcpProxy;
let api: string;
/** That of the page that CORS_ORIGINS names, and of one that it does not. */
let pages: { server: Server; url: string }[];
/** What pages sent that modifies: path and body. */
const sent: { path: string; body: string | null }[] = [];
type Seqs = Record<'transaction' | 'block', number[]>;
/** What a subscriber heard that was never cut off. */
const heard: Seqs = { transaction: [], block: [] };

async function servePages(): Promise<{ server: Server; url: string }> {
  const server = createServer(({ url = '/' }, response) => {
    const path = new URL(url, 'http://x').pathname;
    const file = fileURLToPath(new URL(`browser${path === '/' ? '/index.html' : path}`, DOCS));
    response.setHeader('content-type', TYPES[extname(file)] ?? 'text/plain').end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function openPage(url: string): Promise<Page> {
  const opened = await context.newPage();
  opened.setDefaultTimeout(90_000);
  opened.on('request', (request) => {
    if (request.method() === 'POST') sent.push({ path: new URL(request.url()).pathname, body: request.postData() });
  });
  await opened.goto(url);
  return opened;
}

async function signIn(on: Page): Promise<void> {
  await on.getByLabel('Service').fill(api);
  await on.getByLabel('Username').fill(ADA.username);
  await on.getByLabel('Password').fill(ADA.password);
  await on.getByRole('button', { name: 'Sign in' }).click();
}

const problem = (on: Page) => on.getByRole('alert').textContent();
const live = (on: Page) => on.getByRole('status').textContent();
const rows = () =>
  page.locator('#wallets tr').evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
/** What the page shows, oldest first: of each channel, since a resume brings one after the other. */
async function shown(): Promise<Seqs> {
  const seqs: Seqs = { transaction: [], block: [] };
  for (const text of await page.locator('#updates li').allTextContents()) {
    const [seq, type] = text.split(' ');
    seqs[type as keyof Seqs].unshift(Number(seq));
  }
  return seqs;
}
const mine = async (count: number, address: string) => {
  for (let left = count; left > 0; left--) {
    const { status } = await service.call('POST', '/api/v1/bitcoin/blocks', { count: 1, address });
    expect(status).toBe(201);
  }
};

describe.skipIf(noChromium !== null)(
  `the dashboard of docs/browser.md${noChromium === null ? '' : ` (skipped: ${noChromium})`}`,
  () => {
    beforeAll(async () => {
      const [port = 0, before = 0] = await freePorts(2);
      api = `http://127.0.0.1:${before}`;
      pages = [await servePages(), await servePages()];
      const origins = { CORS_ORIGINS: pages[0]!.url, PUBLIC_ORIGINS: `${api},http://127.0.0.1:${port}` };
      [service, line, browser] = await Promise.all([
        startService({ CHAIN: 'simulated', ...origins }, { port, unlimited: true }),
        startTcpProxy(before, port),
        startChromium(),
      ]);
      const watcher = new WebSocket(`${service.baseUrl.replace('http', 'ws')}/v1/ws`);
      watcher.on('message', (data) => {
        const { type, seq } = JSON.parse(String(data));
        heard[type as keyof Seqs]?.push(seq);
      });
      await new Promise((resolve) => watcher.once('open', resolve));
      const first = [
        { type: 'auth', api_key: service.apiKey },
        ...['transactions', 'blocks'].map((channel) => ({ type: 'subscribe', channel })),
      ];
      for (const message of first) watcher.send(JSON.stringify(message));
      expect((await service.call('POST', '/api/v1/users', ADA)).status).toBe(201);
      context = await browser.newContext();
      page = await openPage(pages[0]!.url);
    });
    afterAll(async () => {
      await browser?.close();
      await line?.close();
      for (const { server } of pages ?? []) server.close();
      await service?.dispose();
    });

    let address = '';

    it('only reads until its key is enrolled, which an administrator does with what it shows', async () => {
      await signIn(page);
      await expect.poll(() => live(page)).toBe('live');
      await page.getByLabel('Name', { exact: true }).fill('Too early');
      await page.getByRole('button', { name: 'New wallet' }).click();
      await expect.poll(() => problem(page)).toContain('is not enrolled for the credential');

      const [, method, path, body] = /^ashlar request (\S+) (\S+) '(.*)'$/.exec(
        await page.getByLabel('Enrolment').inputValue(),
      )!;
      expect((await service.call(method!, path!, JSON.parse(body!))).status).toBe(201);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await signIn(page);
      await expect.poll(() => live(page)).toBe('live');
      expect(await page.locator('#enrol').isVisible()).toBe(false);
    });

    it('keeps a key that no script can read', async () => {
      const outcome = await page.evaluate(`(async () => {
        const { recall } = await import('/storage.js');
        const { privateKey } = await recall('pair ${api} ada');
        return crypto.subtle.exportKey('pkcs8', privateKey).then(() => 'read', (error) => error.name);
      })()`);
      expect(outcome).toBe('InvalidAccessError');
    });

    it('makes a wallet and an address by signed requests, and shows its coins as they come', async () => {
      await page.getByLabel('Name', { exact: true }).fill('Käse & Brot');
      await page.getByRole('button', { name: 'New wallet' }).click();
      await expect.poll(rows).toEqual([['Käse & Brot', '0.00000000', '0.00000000', '0.00000000', 'New address']]);
      await page.getByRole('button', { name: 'New address' }).click();
      await expect.poll(async () => (await rows())[0]?.[4]).toMatch(/^bcrt1/);
      address = (await rows())[0]![4]!;
      await mine(1, address);
      await expect.poll(async () => (await rows())[0]?.[3]).toBe('50.00000000');
      await expect.poll(shown).toEqual(heard);
      expect(heard.transaction.length).toBeGreaterThan(0);
    });

    it('misses nothing and hears nothing twice when its connection is lost, also while it catches up', async () => {
      const mining = mine(10, address);
      await expect.poll(async () => (await shown()).block.length).toBeGreaterThan(5);
      line.cut();
      await expect.poll(() => live(page)).toBe('connecting');
      await mining;
      await mine(20, address);
      // Before the first update that was missed, then behind some.
      const early = line.endNextSocketAfter(/"subscribed"[^}]*\}/);
      line.mend();
      await early;
      await line.endNextSocketAfter(/(?:"type":"block".*){7}\}/);
      await expect.poll(shown).toEqual(heard);
      await expect.poll(() => live(page)).toBe('live');
      expect(heard.block).toHaveLength(31);
      expect((await rows())[0]?.[3]).toBe('1550.00000000');
    });

    it('finds key and session again after a reload, in two tabs at once', async () => {
      const other = await openPage(pages[0]!.url);
      await expect.poll(() => live(other)).toBe('live');
      sent.length = 0;
      await Promise.all([page.reload(), other.reload()]);
      for (const tab of [page, other]) await expect.poll(() => live(tab)).toBe('live');
      const names = await page.evaluate(`(async () => {
        const { openAshlar } = await import('/ashlar.js');
        const clients = await Promise.all([openAshlar('${api}'), openAshlar('${api}')]);
        return Promise.all(clients.map(async (client) => (await client.get('/api/v1/auth/me')).username));
      })()`);
      expect(names).toEqual(['ada', 'ada']);
      // No login, and no refresh token spent twice.
      expect(sent.map(({ path }) => path)).toEqual(Array(4).fill('/api/v1/auth/refresh'));
      expect(new Set(sent.map(({ body }) => body)).size).toBe(4);
      await page.getByLabel('Name', { exact: true }).fill('After the reload');
      await page.getByRole('button', { name: 'New wallet' }).click();
      await expect.poll(async () => (await rows()).map(([name]) => name)).toEqual(['After the reload', 'Käse & Brot']);

      await page.getByRole('button', { name: 'Sign out' }).click();
      for (const tab of [page, other]) await tab.getByRole('button', { name: 'Sign in' }).waitFor();
      await other.close();
    });

    it('may read why it is refused, and is refused where CORS_ORIGINS does not name its origin', async () => {
      const refusal = (on: Page) =>
        on.evaluate(`fetch('${api}/api/v1/wallets/x', { method: 'PATCH', headers: { 'content-type': 'application/json' } }).then(
          async (answer) => [answer.status, answer.headers.get('x-ratelimit-limit'), (await answer.json()).error.details.code],
          (error) => error.name,
        )`);
      expect(await refusal(page)).toEqual([401, '1000', 'unauthorized']);
      const stranger = await openPage(pages[1]!.url);
      expect(await refusal(stranger)).toBe('TypeError');
      await signIn(stranger);
      await expect.poll(() => problem(stranger)).toContain('CORS_ORIGINS does not name this page');
    });
  },
);
