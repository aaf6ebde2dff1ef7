/** Writes without end, telling each write that was answered, until it is killed. */
import { writeSync } from 'node:fs';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { silent } from '../../builders/stores.ts';

const store = await openSqliteStore({ path: process.argv[2]!, role: 'service', log: silent, clock: Date.now });
let next = 0;
async function writeForEver(): Promise<never> {
  for (;;) {
    const name = String(next++);
    await store.write(async (tx) => {
      await tx.settings.set(`first ${name}`, name);
      await tx.settings.set(`second ${name}`, name);
    });
    writeSync(1, `${name}\n`);
  }
}
await Promise.all(Array.from({ length: 8 }, writeForEver));
