import { stat } from 'node:fs/promises';

/** Throws where others than the owner may read or change the file; `what` it is begins the sentence. A Secret volume of Kubernetes passes. */
export async function refuseReadableByOthers(what: string, path: string): Promise<void> {
  const { mode, uid } = await stat(path);
  // A Secret volume with fsGroup: only root may change it, only the pod's group may read it.
  const others = uid === 0 && process.getuid?.() !== 0 ? 0o037 : 0o077;
  if (process.platform === 'win32' || (mode & others) === 0) return;
  throw new Error(`${what} ${path} can be read by others (mode ${(mode & 0o777).toString(8)}): run chmod 600 ${path}`);
}
