/** One thing that was looked at in a contract's messages. */
export interface ContractCheck {
  readonly check: ContractCheckName;
  readonly verdict: 'passed' | 'failed' | 'skipped';
  readonly message: 'offer' | 'accept' | 'sign' | null;
  /** Of the input, announcement or signature that it is about. */
  readonly index: number | null;
  /** Why it failed or was skipped. */
  readonly reason: string | null;
}

/** Slugs are what callers go by: they stay. */
const CONTRACT_CHECKS = [
  'protocol_version',
  'chain_hash',
  'temporary_contract_id',
  'contract_id',
  'contract_info',
  'announcement_signature',
  'announcement_unchanged',
  'announcement_repeated',
  'nonce_repeated',
  'encryption_points',
  'oracle_proofs',
  'collateral',
  'locktimes',
  'fee_rate',
  'funding_key',
  'other_funding_key',
  'payout_script',
  'change_script',
  'serial_ids',
  'negotiation_fields',
  'previous_transaction',
  'segwit_input',
  'input_sequence',
  'max_witness_length',
  'duplicate_inputs',
  'funding_amount',
  'transactions',
  'adaptor_signature_count',
  'cet_adaptor_signature',
  'refund_signature',
  'funding_signature_count',
  'funding_signature',
] as const;
export type ContractCheckName = (typeof CONTRACT_CHECKS)[number];
