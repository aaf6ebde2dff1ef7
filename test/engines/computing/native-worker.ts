/** A worker of the pool that never answers, as it calls the native addon for ever. */
import { loadNative } from '../../../src/core/keys/native-secp256k1.ts';
import { serveJobs } from '../../../src/engines/computing/serve-jobs.ts';

const native = await loadNative();
const scalar = new Uint8Array(32);

serveJobs(() => {
  for (let at = 0; ; at++) {
    scalar[31] = 1 + (at % 255);
    native?.publicKeyTweakAdd(native.publicKeyCreate(scalar, true), scalar, true);
  }
});
