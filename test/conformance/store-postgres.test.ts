import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { silent, type TemporaryPostgres, withPostgres } from '../builders/stores.ts';
import { storeConformance } from './store.ts';

let server: TemporaryPostgres;
beforeAll(async () => {
  server = await withPostgres();
});
afterAll(async () => {
  await server?.stop();
});

storeConformance('PostgreSQL', async () => {
  const url = await server.newTables();
  const open = { url, log: silent, clock: Date.now };
  return {
    open: (options) => openPostgresStore({ ...open, ...options }),
    openBeside: () => openPostgresStore(open),
    observe: async (sql) => {
      const client = new pg.Client(url);
      await client.connect();
      try {
        return (await client.query(sql)).rows;
      } finally {
        await client.end();
      }
    },
    execute: async (sql) => {
      const client = new pg.Client(url);
      await client.connect();
      try {
        await client.query(sql);
      } finally {
        await client.end();
      }
    },
    remove: () => server.drop(url),
  };
});
