/**
 * `npm run demo`: the main job, told. Drives the service at ASHLAR_URL with the credentials at ASHLAR_CREDENTIALS, or else
 * starts one of its own on a free port with an empty data directory and removes it afterwards.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceUrl } from './cli/service-url.ts';
import { type PrivateJwk, signedFetch } from './client/signed-fetch.ts';
import { createApiClient } from './demo/api-client.ts';
import { narrateMainJob } from './demo/main-job.ts';
import { createNarrator } from './demo/narrator.ts';
import { startOwnServer } from './demo/own-server.ts';

const narrator = createNarrator((line) => process.stdout.write(`${line}\n`));

async function run(): Promise<void> {
  const given = process.env.ASHLAR_URL ? serviceUrl(process.env.ASHLAR_URL).origin : undefined;
  narrator.title('Ashlar: wallets and payments on a Bitcoin node, live over WebSocket');
  if (!given) process.stdout.write('   starting a service of its own (the first time this fetches a Bitcoin node) …\n');
  const server = given ? null : await startOwnServer((line) => process.stderr.write(`   ${line}\n`));
  try {
    const file =
      process.env.ASHLAR_CREDENTIALS ??
      join(server?.dataDir ?? process.env.DATA_DIR ?? 'data', 'admin-credentials.json');
    const { api_key: apiKey, private_key: privateJwk } = JSON.parse(readFileSync(file, 'utf8')) as {
      api_key: string;
      private_key: PrivateJwk;
    };
    const baseUrl = given ?? server?.baseUrl ?? '';
    await narrateMainJob({
      api: createApiClient(signedFetch({ origin: baseUrl, apiKey, privateJwk })),
      baseUrl,
      apiKey,
      narrator,
    });
  } finally {
    await server?.stop();
  }
}

run().catch((error: unknown) => {
  process.stderr.write(`\nThe demo stopped: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
