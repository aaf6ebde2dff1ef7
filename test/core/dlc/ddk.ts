/** ddk-ts, which is rust-dlc as dlcdevkit has it: its native part alone, since its JavaScript entry is broken. null where it does not load. */
import { createRequire } from 'node:module';

type Ddk = typeof import('@bennyblader/ddk-ts');

export const ddk: Ddk | null = (() => {
  try {
    const require = createRequire(import.meta.url);
    return require('@bennyblader/ddk-ts/dist/ddk-ts.linux-x64-gnu.node') as Ddk;
  } catch {
    return null;
  }
})();
