import type { Dispatcher } from 'undici';

/**
 * What a server answers to a POST, as text. Straight from the dispatcher: the streams of undici's own `request` are a third of what a small
 * call costs. Rejects with undici's errors, or with the signal's reason.
 */
export function postText(
  pool: Dispatcher,
  { signal, ...request }: Omit<Dispatcher.DispatchOptions, 'method'> & { signal?: AbortSignal },
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let status = 0;
    let started: Dispatcher.DispatchController | null = null;
    const abort = () => {
      started?.abort(signal?.reason);
      reject(signal?.reason);
    };
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort, { once: true });
    pool.dispatch(
      { ...request, method: 'POST' },
      {
        onRequestStart(controller) {
          started = controller;
          if (signal?.aborted) abort();
        },
        onResponseStart(_controller, statusCode) {
          status = statusCode;
        },
        onResponseData(_controller, piece) {
          pieces.push(piece);
        },
        onResponseEnd() {
          signal?.removeEventListener('abort', abort);
          resolve({ status, text: (pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)).toString() });
        },
        onResponseError(_controller, error) {
          signal?.removeEventListener('abort', abort);
          reject(error);
        },
      },
    );
  });
}
