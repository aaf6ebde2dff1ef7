/** An error the node itself answered (its code and message), as opposed to a node that did not answer. */
export class RpcError extends Error {
  readonly code: number;
  readonly method: string;

  constructor(method: string, code: number, message: string) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.method = method;
  }
}

/** Bitcoin Core's codes (src/rpc/protocol.h) that decide something here. */
export const RPC = {
  miscError: -1,
  /** Also "not found": unknown block, transaction, mempool entry. */
  invalidAddressOrKey: -5,
  invalidParameter: -8,
  inInitialDownload: -10,
  deserializationError: -22,
  verifyError: -25,
  verifyRejected: -26,
  alreadyInUtxoSet: -27,
  inWarmup: -28,
  methodNotFound: -32601,
} as const;
