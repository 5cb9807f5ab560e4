-- outside a transaction
create index concurrently if not exists crypto_invoices_underpaid on crypto_invoices (merchant_id, created_at) where state = 'expired' and paid_units > 0 and not refunded;
create index concurrently if not exists refund_claims_undecided on refund_claims (merchant_id, requested_at) where state in ('requested', 'failed');
create index concurrently if not exists withdrawals_stopped on withdrawals (merchant_id, id) where (halted or barred is not null) and state = 'requested';
