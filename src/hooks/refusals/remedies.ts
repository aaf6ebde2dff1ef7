import type { DomainErrorCode } from '../../core/errors.ts';
import type { HttpSlug } from './refusal.ts';

/** What a program or a person does about each `details.code`. The message of the response says what is wrong in this case. */
export const REMEDIES: Record<DomainErrorCode | HttpSlug, string> = {
  invalid_value:
    'Correct the fields that `details.errors` lists. Amounts and feerates that are not valid also return this code.',
  invalid_amount:
    'Lower the amounts: together they exceed 21,000,000 BTC. A single amount that is not valid returns `invalid_value`.',
  invalid_fee_rate:
    'Write the feerate in sat/vB as a string. No operation returns this code at present: a feerate that is not valid returns `invalid_value`.',
  invalid_address: 'Compare the address with the one that the recipient gave: its checksum or format is wrong.',
  wrong_network:
    "Use an address, key or file of the service's network (GET /api/v1/blockchain/status names the network).",
  invalid_descriptor:
    'Correct the descriptor at the place that the message names. POST /api/v1/bitcoin/descriptors/checksum computes the checksum.',
  invalid_mnemonic: 'Compare the words with the written backup: 12 to 24 English BIP39 words in their original order.',
  invalid_backup:
    'Send the complete, unchanged backup, with the passphrase with which it was made; without one, in the account that made it.',
  invalid_label_file: 'Send a BIP329 file: JSON Lines, one JSON object per line.',
  invalid_psbt: 'Send the complete PSBT as base64 or hex, exactly as it was exported.',
  invalid_key: 'Correct the key: its format or length is wrong, or it is not a point on the curve.',
  invalid_script: 'Correct the script at the place that the message names.',
  invalid_transaction: 'Send the complete serialized transaction as hex.',
  invalid_signature: 'Sign again: the signature does not verify under this key for this message.',
  invalid_message: 'Send the complete, unchanged message of the other party.',
  unsupported: 'Use one of the alternatives that the message names.',
  unsupported_grant_type: 'Use a grant type that /.well-known/oauth-authorization-server lists.',
  invalid_scope: 'Request only scopes that the client has.',
  insufficient_funds:
    'Lower the amount, fund the wallet, or wait for confirmations. Payments that wait for approval or signatures hold their coins: approve, reject or abandon them.',
  dust: 'Raise the amount to the minimum that the message names: nodes do not relay smaller outputs.',
  fee_too_high: 'Lower the feerate, or raise the limit that the message names.',
  fee_too_low: 'Raise the feerate as the message says.',
  time_out_of_range: 'Send a time within what the message names.',
  not_enough_data: 'Ask again when the history is longer, or for a shorter range or horizon.',
  no_fee_estimate: 'Set the feerate in sat/vB yourself: the node does not have enough data for an estimate yet.',
  amount_too_small_for_fee: 'Raise the amount, or let another recipient or the wallet pay the fee.',
  too_large: 'Request less at once: fewer items, a narrower range or a smaller transaction.',
  too_many_ancestors: 'Wait for a confirmation, or spend other coins.',
  truc_violation:
    'Wait for a confirmation: a version 3 transaction can have at most one unconfirmed parent or child (BIP431).',
  coin_unavailable: 'Choose other coins, or wait until these can be spent.',
  nothing_to_spend: 'Name a transaction that has an unspent output of your wallets.',
  signing_unavailable:
    'The service does not hold the keys that must sign: sign the PSBT with the devices that do, and send the signatures.',
  policy_refused: 'Change what the message names: the policy of the node or of the service forbids it.',
  idempotency_mismatch: 'Use a new Idempotency-Key: this one was used for a different request.',
  psbt_not_modifiable: 'Create a new PSBT, or remove the signatures: they commit to the parts that you want to change.',
  psbt_mismatch: 'Combine only PSBTs of the same transaction.',
  psbt_incomplete:
    "Complete the PSBT first: the message names the missing part, such as a signature or an input's UTXO.",
  nothing_signed: "Sign with a wallet or key that the inputs (or the message's address) require.",
  unsafe_to_sign:
    'Do not sign. The message says what makes this PSBT dangerous: clarify it with whoever made the PSBT.',
  not_representable: 'Choose another format or PSBT version: this one has no field for some of the data.',
  not_a_participant: 'Use the public key of a participant of the session.',
  no_index: 'Start the node with the index that the message names (such as txindex=1).',
  source_incapable: 'Use a chain source that supports this operation, such as Bitcoin Core.',
  contract_refused: 'Do not enter into this contract: the message names the error in it.',
  announcement_missing: "Register the oracle's announcement first.",
  connection_failed:
    'Correct what `details.steps` says of the first step that failed, at the other server or in the settings, and send the request again.',
  not_configured:
    'Ask the operator of the service to set the variables that the message names, or choose something that is configured.',
  state_conflict: 'Read the resource again: its current state does not allow this operation.',
  descendants_would_be_evicted:
    'Set `replace_descendants` to replace the transactions that spend its outputs, too (their recipients are paid again), or raise the fee with a child (CPFP) of the last of these transactions.',
  birthday_pruned: 'Use a node that still has the blocks since the birthday, or set a later birthday.',
  idempotency_in_flight: 'Wait as long as Retry-After says, then send the same request again.',
  already_exists: 'Read the existing resource, or choose another name or id.',
  attestation_missing: 'Wait until the oracle has attested the outcome.',
  oracle_frozen: 'Use another oracle or a new event: the database was restored, so this event is never attested.',
  outcome_conflict:
    'Compare the outcomes: the oracle or the contract has already been settled with a different one, which the message names.',
  precondition_failed: 'Read the resource again, and send its ETag in If-Match: it has changed since you read it.',
  gone: 'Make it anew: what was kept of it has been deleted.',
  not_found: 'Check the id and the account of the credential: resources of other accounts also return 404.',
  unauthorized: 'Send a valid credential; WWW-Authenticate names the scheme.',
  totp_required: 'Log in with a code of the second factor.',
  signature_missing: 'Sign the request as Accept-Signature describes (/docs/signing).',
  signature_invalid:
    'Sign exactly the request that is sent, with the enrolled key and a correct clock (/docs/signing).',
  nonce_reused: 'Sign again with a new nonce.',
  policy_denied:
    "The account's rules forbid it (/docs/policies): the message names the rule. A dry run shows the verdict beforehand.",
  forbidden: 'Use a credential with the scope or role that the message names.',
  node_unavailable: 'The Bitcoin node cannot be reached: wait as long as Retry-After says and try again.',
  node_syncing: 'Wait until the node has synchronized.',
  unavailable: 'Wait as long as Retry-After says, then send the same request again.',
  rate_limited: 'Wait as long as Retry-After says, then send the request again.',
  malformed_request: 'Correct the URL, the headers or the encoding of the body.',
  malformed_json: 'Correct the JSON: the message names the error and, if possible, its line and column.',
  unsupported_media_type: 'Send application/json, uncompressed.',
  body_too_large: 'Send a smaller body.',
  method_not_allowed: 'Use a method that Allow lists.',
  not_acceptable: 'Accept application/json.',
  timed_out:
    'Send the request again with the same Idempotency-Key, which cannot execute it twice. For a read, request less at once.',
  stopping: 'Send the request again: the service is stopping, and another replica or the restarted service answers.',
  overloaded: 'Wait as long as Retry-After says, then try again.',
  internal_error: 'Report the X-Request-Id to the operator: the log has the cause.',
};
